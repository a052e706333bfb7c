import type { Command } from 'commander'

import { accountFields, resourceFields } from '../support/accountFields.ts'
import { type AddressForms, parseAddress, tryAddress } from '../support/address.ts'
import { formatCoins, group, plural } from '../support/amount.ts'
import {
  addCommand,
  addNodeOption,
  addOutputOptions,
  addRequestOptions,
  addRpcOption,
} from '../support/command.ts'
import { CommandError, usageError } from '../support/errors.ts'
import { readStdin } from '../support/input.ts'
import { type Io, processIo } from '../support/io.ts'
import { get, isRecord, scalar, stringify } from '../support/json.ts'
import { type KeyOptions, keyOf, newKey, readKey, saveKey } from '../support/key.ts'
import type { Node } from '../support/node.ts'
import { type Rpc, RpcFailure } from '../support/rpc.ts'
import { renderFields } from '../support/table.ts'
import { resolveTarget, type TargetOptions } from '../support/target.ts'
import { createTerminal, type Terminal } from '../support/terminal.ts'

/** `ethgate account new | show | convert`: keys and addresses. */
export function addAccountCommand(program: Command, io: Io = processIo()): void {
  const account = addCommand(program, 'account', {
    summary: 'create a key, show an account, convert addresses',
    examples: [
      ['ethgate account new --save alice.key', 'a new key, in a file that only you can read'],
      [
        'ethgate account show TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
        'balance, resources and tokens of an account',
      ],
      [
        'ethgate account convert 0xdd791d6b49e190062d650e6a23c575510d35f2f9',
        'the same address in the other formats',
      ],
    ],
  })
  const create = addCommand(account, 'new', {
    summary: 'create a key and its address',
    description:
      'Creates a private key with the system’s random generator. With --save it is written to a file with mode 600 and not printed.',
    examples: [
      ['ethgate account new', 'prints the key and its address'],
      ['ethgate account new --save alice.key', 'writes the key, prints only the address'],
    ],
  }).option('--save <file>', 'write the key to this new file, which only its owner can read')
  addOutputOptions(create).action((options: MakeOptions) => makeAccount(io, options))

  const show = addCommand(account, 'show', {
    summary: 'show balance, resources, permissions, code and tokens',
    description:
      'Shows an account. Balance, code and transaction count come from the gateway. Resources, permissions and tokens come ' +
      'from the native HTTP API of --node, or of a development chain at the address of --rpc.',
    examples: [
      [
        'ethgate account show TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
        'all data of the gateway and of a development chain',
      ],
      [
        'ethgate account show 41dd791d6b49e190062d650e6a23c575510d35f2f9 --node http://127.0.0.1:8090 --json',
        'from a node, as JSON',
      ],
    ],
  }).argument('<address>', 'T…, 41… or 0x…')
  addOutputOptions(addRequestOptions(addNodeOption(addRpcOption(show)))).action(
    (address: string, options: ShowOptions) => showAccount(io, address, options),
  )

  const convert = addCommand(account, 'convert', {
    summary: 'show an address in every format',
    description:
      'Converts between base58 (T…), native hexadecimal (41…) and Ethereum (0x…) addresses. Also shows the address of a ' +
      'private key. Pass the key in a file (--key-file) or on standard input ("-"), not on the command line.',
    examples: [
      [
        'ethgate account convert TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
        'base58 to the two other formats',
      ],
      ['ethgate account convert --key-file alice.key', 'the address of a key'],
      ['cat alice.key | ethgate account convert -', 'the same'],
    ],
  })
    .argument('[address]', 'an address in any format, or "-" for standard input')
    .option('--key-file <file>', 'a file with a private key')
  addOutputOptions(convert).action((input: string | undefined, options: ConvertOptions) =>
    convertAddress(io, input, options),
  )
}

type OutputOptions = { json?: boolean; table?: boolean }
type MakeOptions = OutputOptions & { save?: string }
type ShowOptions = OutputOptions & TargetOptions
type ConvertOptions = OutputOptions & KeyOptions

async function makeAccount(io: Io, options: MakeOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const key = newKey()
  if (options.save !== undefined) await saveKey(options.save, key)
  const secret =
    options.save === undefined ? { privateKey: `0x${key.hex}` } : { keyFile: options.save }
  if (terminal.mode === 'json') return terminal.print(stringify({ ...key.address, ...secret }))
  await terminal.print(
    renderFields(terminal, [
      ...addressFields(key.address),
      ...Object.entries(secret).map(([name, value]): [string, string] => [
        name === 'privateKey' ? 'private key' : 'key file',
        value,
      ]),
    ]),
  )
  if (options.save === undefined)
    terminal.error(
      'Anyone with the private key controls the account. Use --save FILE to keep it off the screen.',
    )
}

async function convertAddress(
  io: Io,
  input: string | undefined,
  options: ConvertOptions,
): Promise<void> {
  const terminal = createTerminal(options, io)
  const address = await addressOf(io, input, options, terminal)
  return terminal.print(
    terminal.mode === 'json' ? stringify(address) : renderFields(terminal, addressFields(address)),
  )
}

/** The address of the argument, of standard input, or of a key. */
async function addressOf(
  io: Io,
  input: string | undefined,
  options: KeyOptions,
  terminal: Terminal,
): Promise<AddressForms> {
  if (input === undefined) {
    const key = await readKey(options, terminal, {})
    if (!key)
      throw usageError(
        'the address is missing: give an address, "-" for standard input, or --key-file FILE',
      )
    return key.address
  }
  const text = input === '-' ? (await readStdin(io)).trim() : input
  if (!/^(0x)?[0-9a-f]{64}$/i.test(text)) return parseAddress(text, 'convert')
  if (input !== '-')
    terminal.error(
      'ethgate: warning: the shell history stores a key on the command line; use --key-file FILE or "-"',
    )
  return keyOf(text, 'the argument').address
}

function addressFields(address: AddressForms): [string, string][] {
  return [
    ['base58', address.base58],
    ['native hex', address.hex],
    ['ethereum', address.eth],
  ]
}

async function showAccount(io: Io, text: string, options: ShowOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const address = parseAddress(text, 'show')
  const target = resolveTarget(options, io)
  const native = await readNative(target.node, address).catch((error: unknown) => {
    if (target.nodeGiven) throw error
    return undefined
  })
  // With --node the gateway is called only if --rpc is given too.
  const rpc =
    native !== undefined && options.rpc === undefined && target.nodeGiven
      ? undefined
      : await readRpc(target.rpc, address)
  if (terminal.mode === 'json') return terminal.print(stringify({ ...address, ...rpc, ...native }))
  await terminal.print(renderFields(terminal, [...addressFields(address), ...fields(rpc, native)]))
  if (native === undefined)
    terminal.error('Resources, permissions and tokens need the native HTTP API: --node URL.')
}

type NativeAccount = {
  account: Record<string, unknown>
  resources: Record<string, unknown>
  contract: Record<string, unknown> | undefined
}

async function readNative(node: Node, address: AddressForms): Promise<NativeAccount> {
  const [account, resources, contract] = await Promise.all([
    node.call('getaccount', { address: address.hex }),
    node.call('getaccountresource', { address: address.hex }),
    node.call('getcontractinfo', { value: address.hex }),
  ])
  if (!isRecord(account) || !isRecord(resources))
    throw new CommandError(
      'getaccount: the answer is not an object; is --node the address of a node?',
    )
  return {
    account,
    resources,
    contract:
      get(contract, 'smart_contract') === undefined
        ? undefined
        : (contract as Record<string, unknown>),
  }
}

type RpcAccount = { balance: string; code: string; transactionCount: string | undefined }

async function readRpc(rpc: Rpc, address: AddressForms): Promise<RpcAccount> {
  const [balance, code, count] = await Promise.all([
    rpc.call('eth_getBalance', [address.eth, 'latest']),
    rpc.call('eth_getCode', [address.eth, 'latest']),
    // A node's own JSON-RPC does not have this method.
    rpc.call('eth_getTransactionCount', [address.eth, 'latest']).catch((error: unknown) => {
      if (error instanceof RpcFailure && error.code === -32601) return undefined
      throw error
    }),
  ])
  return {
    balance: scalar(balance) ?? '0x0',
    code: scalar(code) ?? '0x',
    transactionCount: scalar(count),
  }
}

function fields(
  rpc: RpcAccount | undefined,
  native: NativeAccount | undefined,
): [string, string][] {
  const known = native !== undefined && Object.keys(native.account).length > 0
  const code = native
    ? (scalar(get(native.contract, 'runtimecode')) ?? '')
    : (rpc?.code ?? '0x').slice(2)
  return [
    ...(known
      ? accountFields(native.account).filter(([name]) => name !== 'address')
      : [['balance', formatCoins(BigInt(rpc?.balance ?? '0x0'))] as [string, string]]),
    ...(known ? resourceFields(native.resources) : []),
    ...(native !== undefined && !known
      ? [['state', 'not activated: it has never received coins'] as [string, string]]
      : []),
    ...(code === '' ? [] : [['code', `${group(code.length / 2)} bytes`] as [string, string]]),
    ...contractFields(native?.contract),
    ...(rpc?.transactionCount === undefined
      ? []
      : [['sent here', plural(BigInt(rpc.transactionCount), 'transaction')] as [string, string]]),
  ]
}

function contractFields(contract: Record<string, unknown> | undefined): [string, string][] {
  const meta = get(contract, 'smart_contract')
  if (!isRecord(meta)) return []
  const origin = tryAddress(scalar(meta['origin_address']) ?? '')
  return [
    ['contract', scalar(meta['name']) ?? '(no name)'],
    ...(origin ? [['created by', origin.base58] as [string, string]] : []),
    ['caller pays', `${scalar(meta['consume_user_resource_percent']) ?? '0'} % of the energy`],
  ]
}
