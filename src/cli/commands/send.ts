import type { Command } from 'commander'

import { contractAddress } from '../../lib/address.ts'
import { type AddressForms, parseAddress } from '../support/address.ts'
import { parseCoins } from '../support/amount.ts'
import {
  callObject,
  type Channel,
  createNodeChannel,
  createRpcChannel,
} from '../support/channel.ts'
import {
  addCommand,
  addNodeOption,
  addOutputOptions,
  addRequestOptions,
  addRpcOption,
} from '../support/command.ts'
import { CommandError, usageError } from '../support/errors.ts'
import type { Intent } from '../support/intent.ts'
import { type Io, processIo } from '../support/io.ts'
import { stringify } from '../support/json.ts'
import { type KeyOptions, type PrivateKey, readKey } from '../support/key.ts'
import { readIntent, type IntentOptions } from '../support/readIntent.ts'
import { report, type Sent, waitFor } from '../support/report.ts'
import { resolveTarget, type Target, type TargetOptions } from '../support/target.ts'
import { createTerminal, type Terminal } from '../support/terminal.ts'

/** `ethgate send`: coins, tokens, contract calls and deployments. */
export function addSendCommand(program: Command, io: Io = processIo()): void {
  const command = addCommand(program, 'send', {
    summary: 'send coins, tokens, contract calls and deployments',
    description:
      'Builds a native transaction, signs it in this process with a key from a file or ETHGATE_KEY, and sends it through the ' +
      'gateway (--rpc) or a node (--node). With --from and without a key, the gateway signs with a key that it manages. Amounts ' +
      'need a unit: 1.5coin or 1500000sun. With --wait the command waits until the transaction is in a block: exit code 3 if it failed.',
    examples: [
      [
        'ethgate send --to TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp --amount 1.5coin --key-file alice.key --wait',
        'coins',
      ],
      [
        'ethgate send --to TWAF… --token 1000001 --amount 25 --key-file alice.key',
        '25 units of a TRC-10 token',
      ],
      [
        `ethgate send --to TXYZ… --sig 'transfer(address,uint256)' TWAF… 1000000 --key-file alice.key --wait`,
        'a contract call; arguments in order, addresses in any format',
      ],
      [
        'ethgate send --deploy Token.json 1000000000 --key-file alice.key --wait',
        'a deployment with constructor arguments',
      ],
      [
        'ethgate send --to TWAF… --amount 1coin --from TXYZ… --wait',
        'signed by the gateway, for example a development chain',
      ],
      [
        'ethgate send --to TWAF… --amount 1coin --key-file alice.key --dry-run',
        'shows the transaction without signing it',
      ],
    ],
  })
    .argument('[args...]', 'arguments of --sig or of the constructor; lists and tuples as JSON')
    .option('--to <address>', 'receiver or contract')
    .option('--amount <amount>', 'coins (1.5coin, 1500000sun), or units of --token')
    .option('--token <id>', 'TRC-10 token to send')
    .option('--decimals <n>', 'decimals of the token, so that --amount can have a fraction', '0')
    .option('--data <hex>', 'call data')
    .option('--sig <signature>', 'function to call: transfer(address,uint256), or a name in --abi')
    .option('--abi <file>', 'ABI or artifact, also to decode reverts')
    .option('--deploy <file>', 'deploy an artifact (JSON) or creation code (hex)')
    .option('--contract <name>', 'contract to deploy, if the file has several')
    .option('--percent <n>', 'deployment: percentage of the energy that callers pay', '100')
    .option(
      '--origin-energy-limit <n>',
      'deployment: maximum energy that the creator pays for a call',
      '10000000',
    )
    .option('--fee-limit <amount>', 'maximum cost of the energy (default: the estimate plus 20 %)')
    .option('--memo <text>', 'text to store in the transaction')
    .option('--key-file <file>', 'file with the private key (env ETHGATE_KEY: the key itself)')
    .option('--key <hex>', 'the private key; other users can see it, so prefer --key-file')
    .option(
      '--from <address>',
      'sending account; without a key the gateway signs for it, with a key the key must have a permission of it',
    )
    .option('--permission <id>', 'id of the permission to sign with')
    .option('--expires <seconds>', 'seconds until the transaction expires', '60')
    .option('--wait', 'wait until the transaction is in a block')
    .option('--dry-run', 'show the transaction, do not sign or send it')
  addOutputOptions(addRequestOptions(addNodeOption(addRpcOption(command)))).action(
    (words: string[], options: SendOptions) => send(io, words, options),
  )
}

type SendOptions = TargetOptions &
  KeyOptions &
  IntentOptions & {
    feeLimit?: string
    memo?: string
    from?: string
    permission?: string
    expires: string
    wait?: boolean
    dryRun?: boolean
    json?: boolean
    table?: boolean
  }

async function send(io: Io, words: string[], options: SendOptions): Promise<void> {
  const terminal = createTerminal(options, io)
  const target = resolveTarget(options, io)
  const key = await readKey(options, terminal, io.env)
  const from = options.from === undefined ? undefined : parseAddress(options.from, '--from')
  const owner = from ?? key?.address
  if (!owner)
    throw usageError(
      'the sender is missing: give --key-file FILE (or ETHGATE_KEY), or --from ADDRESS if the gateway manages its key',
    )
  // A named node is called directly, unless a gateway is named too.
  const channel =
    target.nodeGiven && options.rpc === undefined
      ? createNodeChannel(target.node)
      : createRpcChannel(target.rpc)
  const intent = await readIntent(words, options, (address) => channel.hasCode(address))
  await (key || options.dryRun
    ? sendSigned({ terminal, channel, intent, owner, key, options })
    : sendManaged({ terminal, channel, intent, owner, target, options }))
}

type Sending = {
  terminal: Terminal
  channel: Channel
  intent: Intent
  owner: AddressForms
  options: SendOptions
}

async function sendSigned(sending: Sending & { key: PrivateKey | undefined }): Promise<void> {
  const { terminal, channel, intent, owner, key, options } = sending
  const { rawDataFromJson, rawDataToJson, transactionId, encodeTransaction } =
    await import('../../native/protobuf/transaction.ts')
  const { signTransaction } = await import('../../native/protobuf/signature.ts')
  const { toRawData } = await import('../support/intent.ts')
  const feeLimit = await feeLimitOf(sending)
  const head = await channel.head()
  const expiration = head.time + seconds(options.expires) * 1000
  const raw = rawDataFromJson(
    toRawData(intent, {
      owner,
      reference: head,
      expiration,
      timestamp: Date.now(),
      feeLimit,
      memo: options.memo,
      permission: options.permission === undefined ? undefined : Number(options.permission),
    }),
  )
  const unsigned = {
    txID: transactionId(raw),
    raw_data: rawDataToJson(raw),
    raw_data_hex: raw.toString('hex'),
  }
  if (options.dryRun || !key) {
    if (terminal.mode === 'json') return terminal.print(stringify(unsigned))
    const { renderAnswer } = await import('../support/walletTables.ts')
    return terminal.print(renderAnswer(terminal, 'gettransactionbyid', unsigned))
  }
  await channel.broadcast(encodeTransaction(signTransaction(unsigned, key.hex)))
  const created = intent.kind === 'creation' ? contractAddress(unsigned.txID, owner.eth) : undefined
  await finish(sending, { id: unsigned.txID, intent, owner, created, expiration })
}

async function sendManaged(sending: Sending & { target: Target }): Promise<void> {
  const { intent, owner, target, options } = sending
  if (target.nodeGiven && options.rpc === undefined)
    throw usageError('a node does not sign: give --key-file FILE, or a gateway with --rpc')
  if (intent.kind === 'token transfer' || (intent.kind === 'call' && intent.token))
    throw usageError(
      'a gateway signs only transfers of coins and calls; tokens need --key-file FILE',
    )
  if (options.memo !== undefined || options.permission !== undefined)
    throw usageError('--memo and --permission need --key-file FILE')
  const call = callObject(intent, owner)
  const feeLimit = options.feeLimit && parseCoins(options.feeLimit, '--fee-limit')
  const price = feeLimit ? await sending.channel.energyPrice() : 0n
  const hash = await target.rpc
    .call('eth_sendTransaction', [
      { ...call, ...(feeLimit && price > 0n && { gas: `0x${(feeLimit / price).toString(16)}` }) },
    ])
    .catch(async (error: unknown) => {
      const { explain } = await import('../support/abi.ts')
      throw await explain(error, options.abi)
    })
  const head = await sending.channel.head()
  await finish(sending, {
    id: String(hash).replace(/^0x/, ''),
    intent,
    owner,
    created: undefined,
    expiration: head.time + seconds(options.expires) * 1000,
  })
}

/** The fee limit is the estimate and a fifth, because other transactions can change the energy that a call needs. */
async function feeLimitOf({
  channel,
  intent,
  owner,
  options,
}: Sending): Promise<bigint | undefined> {
  if (options.feeLimit !== undefined) return parseCoins(options.feeLimit, '--fee-limit')
  if (intent.kind === 'transfer' || intent.kind === 'token transfer') return undefined
  const [energy, price] = await Promise.all([
    channel.energy(intent, owner).catch(async (error: unknown) => {
      const { explain } = await import('../support/abi.ts')
      throw await explain(error, options.abi)
    }),
    channel.energyPrice(),
  ])
  return (energy * price * 12n) / 10n
}

async function finish(sending: Sending, sent: Sent): Promise<void> {
  const { terminal, channel, intent, owner, options } = sending
  const outcome = options.wait ? await waitFor(channel, sent) : undefined
  if (outcome && !outcome.success && outcome.reason === undefined) {
    const { explain } = await import('../support/abi.ts')
    const failure = await explain(await channel.reason(intent, owner), options.abi)
    if (failure instanceof CommandError)
      outcome.reason = `${failure.message.replace(/^eth_call: /, '')} (from a repeated call)`
  }
  await report(terminal, sent, outcome)
}

function seconds(text: string): number {
  const number = Number(text)
  // The node refuses more than a day.
  if (!(number > 0 && number < 86_400))
    throw usageError(`--expires needs a number of seconds below one day, got "${text}"`)
  return number
}
