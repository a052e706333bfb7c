import type { Abi, AbiFunction, AbiParameter, Address, Hex } from 'viem'

import { grouped, parseUnits, plural } from '../../codec/coin.ts'
import { withChecksum } from '../../lib/address.ts'
import type { Transaction } from '../../native/wire/types.ts'
import { anchorFields } from '../../sending/nativeTransaction.ts'
import { usageError } from '../base/errors.ts'
import { type AddressForms, parseAddress } from '../text/address.ts'
import { wholeNumber } from '../text/number.ts'
import { functionOf } from '../text/signature.ts'
import type { Unit } from '../text/unit.ts'
import { readArtifact } from './artifact.ts'

/** A transaction to send, or a call. */
export type Intent = {
  /** Its native contract: the type, and the fields as the node's JSON. */
  type: string
  value: Record<string, unknown>
  /** The same for JSON-RPC; absent for what Ethereum does not have. Amounts are in the smallest unit of the chain. */
  call?: { from: Address; to?: Address; data?: Hex; value: bigint }
  /** Called function. */
  item?: AbiFunction
  /** Whether it runs code, which costs energy. */
  runsCode: boolean
  /** What it does, for people. */
  fields: [string, string][]
}

/** The options of `send`, `call` and `estimate` that describe the transaction. */
export type IntentOptions = {
  value?: string
  token?: string
  tokenDecimals?: string
  data?: string
  abi?: string
  create?: string
  contract?: string
  percent?: string
  originEnergyLimit?: string
}

/** What reading needs besides the words. */
export type Reading = {
  owner: AddressForms
  /** Requests the unit from the server. Called after the words are parsed, so that a wrong word fails without a request. */
  unit: () => Promise<Unit>
  hasCode: (address: AddressForms) => Promise<boolean>
  /** Advice after the error that there is no contract to call. */
  withoutCode?: string
}

/**
 * The transaction that the words and options describe: `ADDRESS [SIGNATURE] [ARGS]`, or with `--create` the arguments of a
 * constructor.
 *
 * @throws CommandError (usage) when options contradict each other or one is missing
 */
export async function readIntent(
  words: readonly string[],
  options: IntentOptions,
  { hasCode, owner, unit: unitOf, withoutCode = '' }: Reading,
): Promise<Intent> {
  if (options.create !== undefined) return readCreation(words, options, owner, unitOf)
  const [receiver, signature, ...args] = words
  if (receiver === undefined)
    throw usageError('the receiver is missing: give an address, or --create FILE')
  const to = parseAddress(receiver, 'the receiver')
  if (signature !== undefined && options.data !== undefined)
    throw usageError('a signature and --data cannot be used together')
  const item = signature === undefined ? undefined : await functionOf(signature, args, options.abi)
  const { encodeCall } = await import('../text/arguments.ts')
  const data = item ? encodeCall(item, args) : options.data && bytes(options.data, '--data')
  const token = readToken(options)
  const unit = await unitOf()
  const amount = token || options.value === undefined ? 0n : unit.read(options.value, '--value')
  const isContract = await hasCode(to)
  if (data !== undefined && data !== '0x' && !isContract)
    throw usageError(
      `there is no contract at ${to.base58} (${withChecksum(to.eth)}): ${signature ?? '--data'} cannot be called${withoutCode}`,
    )
  if (data === undefined && options.value === undefined)
    throw usageError('the amount is missing: give --value, such as --value 1.5coin')
  const shown = token ? `${grouped(token.amount)} of token ${token.id}` : unit.text(amount)
  const intent = {
    ...(item && { item }),
    fields: [
      ['to', withChecksum(to.eth)],
      ['amount', shown],
    ] as [string, string][],
  }
  const owner_address = owner.hex
  // Coins for a contract are sent by a call without data, because the chain rejects a transfer to a contract.
  if (isContract || data !== undefined)
    return {
      ...intent,
      type: 'TriggerSmartContract',
      value: {
        owner_address,
        contract_address: to.hex,
        data: (data ?? '0x').slice(2),
        call_value: amount,
        ...(token && { call_token_value: token.amount, token_id: BigInt(token.id) }),
      },
      call: { from: owner.eth, to: to.eth, value: amount, ...(data && { data }) },
      runsCode: true,
    }
  if (!token)
    return {
      ...intent,
      type: 'TransferContract',
      value: { owner_address, to_address: to.hex, amount },
      call: { from: owner.eth, to: to.eth, value: amount },
      runsCode: false,
    }
  const asset_name = Buffer.from(token.id).toString('hex')
  return {
    ...intent,
    type: 'TransferAssetContract',
    value: { asset_name, owner_address, to_address: to.hex, amount: token.amount },
    runsCode: false,
  }
}

async function readCreation(
  words: readonly string[],
  options: IntentOptions,
  owner: AddressForms,
  unitOf: () => Promise<Unit>,
): Promise<Intent> {
  if (options.token !== undefined || options.data !== undefined)
    throw usageError('--create takes no --token and no --data')
  const { encodeArguments } = await import('../text/arguments.ts')
  const { loadAbi, signatures } = await import('../text/abi.ts')
  const artifact = await readArtifact(options.create ?? '', options.contract)
  // As in cast, bare code takes the signature of its constructor before the arguments.
  const typed = artifact.abi === undefined && words[0]?.includes('(') ? words[0] : undefined
  const abi: Abi = typed
    ? signatures([typed.replace(/^\w*\(/, 'constructor(')], 'the constructor')
    : (artifact.abi ?? (options.abi ? await loadAbi(options.abi) : []))
  const constructor = abi.find((item) => item.type === 'constructor')
  const args = typed ? words.slice(1) : words
  const encoded = encodeArguments('the constructor', constructor?.inputs ?? [], args)
  const bytecode = artifact.bytecode + encoded.slice(2)
  const amount = options.value === undefined ? 0n : (await unitOf()).read(options.value, '--value')
  return {
    type: 'CreateSmartContract',
    value: {
      owner_address: owner.hex,
      new_contract: {
        origin_address: owner.hex,
        abi: { entrys: toNativeAbi(abi) },
        bytecode,
        call_value: amount,
        consume_user_resource_percent: wholeNumber(options.percent ?? '100', '--percent', 0, 100),
        name: artifact.name.slice(0, 32),
        origin_energy_limit: BigInt(
          wholeNumber(options.originEnergyLimit ?? '10000000', '--origin-energy-limit', 1),
        ),
      },
    },
    call: { from: owner.eth, data: `0x${bytecode}`, value: amount },
    runsCode: true,
    fields: [['deploys', artifact.name || 'a contract']],
  }
}

function readToken(options: IntentOptions): { id: string; amount: bigint } | undefined {
  if (options.token === undefined) return undefined
  if (!/^\d+$/.test(options.token))
    throw usageError('--token needs the id of a token, such as 1000001')
  const decimals = wholeNumber(options.tokenDecimals ?? '0', '--token-decimals', 0, 6)
  const amount = parseUnits(options.value ?? '', decimals)
  if (amount === undefined)
    throw usageError(
      `--value needs an amount of the token with at most ${plural(decimals, 'decimal')} (--token-decimals N)`,
    )
  return { id: options.token, amount }
}

/** Bytes of an option, with `0x`. @throws CommandError (usage) */
function bytes(text: string, where: string): Hex {
  const hex = text.replace(/^0x/i, '').toLowerCase()
  if (/^([0-9a-f]{2})*$/.test(hex)) return `0x${hex}`
  throw usageError(`${where} needs an even number of hex digits`)
}

/** The validity and limits of a transaction. */
export type Envelope = {
  reference: { number: number; hash: string }
  /** Milliseconds. */
  expiration: number
  timestamp: number
  /** In the smallest unit; for calls and creations. */
  feeLimit: bigint | undefined
  memo: string | undefined
  permission: number | undefined
}

/** The unsigned content of the transaction, as the node's JSON. */
export function toRawData({ type, value }: Intent, envelope: Envelope): Transaction['raw_data'] {
  const { expiration, feeLimit, memo, permission, reference, timestamp } = envelope
  return {
    contract: [
      {
        type,
        parameter: { value, type_url: `type.googleapis.com/protocol.${type}` },
        ...(permission && { Permission_id: permission }),
      },
    ],
    ...anchorFields({ block: reference, expiration, timestamp }),
    ...(memo && { data: Buffer.from(memo).toString('hex') }),
    ...(feeLimit !== undefined && { fee_limit: feeLimit }),
  }
}

/** An ABI as the chain stores it with a contract; it cannot store the members of tuples. */
function toNativeAbi(abi: Abi): Record<string, unknown>[] {
  return abi.map((item) => ({
    type: capital(item.type),
    ...('name' in item && { name: item.name }),
    ...('inputs' in item &&
      item.inputs && { inputs: item.inputs.map((input) => parameter(input)) }),
    ...('outputs' in item && { outputs: item.outputs.map((output) => parameter(output)) }),
    ...('anonymous' in item && item.anonymous && { anonymous: true }),
    ...('stateMutability' in item && { stateMutability: capital(item.stateMutability) }),
  }))
}

function parameter(input: AbiParameter & { indexed?: boolean | undefined }) {
  return { ...(input.indexed && { indexed: true }), name: input.name ?? '', type: input.type }
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
