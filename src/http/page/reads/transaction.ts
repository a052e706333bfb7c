import type { Abi, Address, Hash, Hex } from 'viem'
import { decodeFunctionResult } from 'viem/utils'

import {
  type Decoded,
  decodeCalldata,
  decodeLog,
  decodeRevert,
  selectedBy,
} from '../../../codec/abi.ts'
import { assertDecodedSize } from '../../../codec/abiSize.ts'
import type { CallFrame } from '../../../codec/callFrame.ts'
import type { CoinDecimals } from '../../../codec/coin.ts'
import { revertReason } from '../../../codec/revert.ts'
import type { RpcLog, RpcReceipt, RpcTransaction } from '../../../codec/types.ts'
import { toRpcAddress } from '../../../lib/address.ts'
import { recoverSigners } from '../../../native/protobuf/signature.ts'
import type { Int64, Transaction, TransactionInfo } from '../../../native/wire/types.ts'
import { MOST_DECODED, valueText } from '../abi.ts'
import { hexText } from '../text.ts'
import { type NativeValue, type Row, rowOf } from './row.ts'
import { ifAnswered, type Source, type Token, tokenInList } from './source.ts'
import { transferOf } from './transfers.ts'

/** A log with its event, when an ABI has it. */
export type ReadLog = { log: RpcLog; name: string | undefined; event: Decoded | undefined }

/** A call inside a transaction: its function with arguments, what it returned, and why it failed. */
export type ReadFrame = ReturnType<typeof readCalls>[number]

/** A transaction as its page shows it. Fields of its block are absent while it is pending. */
export type TransactionFacts = NonNullable<Awaited<ReturnType<typeof readTransaction>>>

/** Contracts whose name and ABI are read for one transaction, and logs and calls on its page. */
const MOST_CONTRACTS = 24
const MOST_LOGS = 500
const MOST_FRAMES = 300

/** What became of a transaction, as `ethgate_transactionStatus` says. */
export type ReadStatus = {
  /** The hash that an Ethereum wallet has, when an account of this gateway sent it. */
  ethereumHash: Hash | null
  evidence: string
  reason?: string
  state: string
  /** The native id. */
  transactionHash: Hash
}

/** Reads what became of a transaction, by either of its hashes. */
export const readStatus = (hash: Hash, source: Source): Promise<ReadStatus> =>
  source.ask('ethgate_transactionStatus', hash)

/** Reads a transaction by either of its hashes; undefined when there is none. */
export async function readTransaction(
  hash: Hash,
  source: Source,
  failureOf: ((info: TransactionInfo) => string) | undefined,
) {
  const [transaction, status] = await Promise.all([
    source.ask<RpcTransaction | null>('eth_getTransactionByHash', hash),
    readStatus(hash, source),
  ])
  if (!transaction) return undefined
  const value = { value: status.transactionHash.slice(2) }
  const [receipt, native, info, head, solid, frames] = await Promise.all([
    source.ask<RpcReceipt | null>('eth_getTransactionReceipt', hash),
    source.wallet.getTransactionById(value),
    source.wallet.getTransactionInfoById(value),
    source.head(),
    source.solid(),
    transaction.blockNumber && transaction.blockNumber !== '0x0' ? readFrames(hash, source) : [],
  ])
  const contract = native?.raw_data.contract?.[0]
  const fields = (contract?.parameter?.value ?? {}) as NativeValue
  const logs = (receipt?.logs ?? []).slice(0, MOST_LOGS)
  const parties = new Set<Address>([transaction.from])
  if (transaction.to) parties.add(transaction.to)
  for (const address of addressesIn(fields)) parties.add(address)
  for (const log of logs) parties.add(log.address)
  for (const { frame } of frames ?? []) if (frame.to) parties.add(frame.to)
  const known = await Promise.all(
    [...parties].slice(0, MOST_CONTRACTS).map(async (address) => {
      const [name, { abi }, token] = await Promise.all([
        source.name(address),
        source.contract(address),
        logs.some((log) => log.address === address) || address === transaction.to
          ? tokenInList(address, source)
          : undefined,
      ])
      return { address, name, abi, token }
    }),
  )
  const abiOf = (address: Address | null | undefined): Abi =>
    known.find((one) => one.address === address)?.abi ?? []
  const allAbis = known.flatMap(({ abi }) => abi)
  const place = {
    block: Number(transaction.blockNumber ?? 0),
    time: Number(transaction.blockTimestamp ?? 0),
    receipt: receipt ?? undefined,
  }
  const transfers = await Promise.all(logs.map((log) => transferOf(log, source)))
  return {
    row: native ? await rowOf(native, place, source) : rowOfEthereum(transaction, receipt, place),
    transaction,
    receipt,
    native,
    info,
    type: contract?.type,
    value: fields,
    head,
    solid,
    // What became of it, and both of its hashes.
    status,
    reason: reasonOf(info, allAbis, failureOf, source.decimals),
    call: transaction.to
      ? decodeCalldata(transaction.input, abiOf(transaction.to), MOST_DECODED)
      : undefined,
    // By which the logs and calls of the page are named.
    names: new Map(
      known.flatMap((one) => {
        const name = nameOf(one)
        return name === undefined ? [] : [[one.address, name]]
      }),
    ),
    tokens: new Map(known.flatMap(({ address, token }) => (token ? [[address, token]] : []))),
    nativeTokens: await nativeTokensIn(fields, info, source),
    logs: logs.map((log) => ({
      log,
      name: nameOf(known.find(({ address }) => address === log.address)),
      event:
        decodeLog(log, abiOf(log.address), MOST_DECODED) ?? decodeLog(log, allAbis, MOST_DECODED),
    })),
    transfers: transfers.filter((one) => one !== undefined),
    // Calls in the order of execution; undefined when they are not known.
    frames:
      frames &&
      readCalls(frames, (address) => known.find((one) => one.address === address), allAbis),
    // Transfers and calls inside, as the node recorded them.
    internal: info?.internal_transactions ?? [],
    signers: signersOf(native, transaction.from),
  }
}

async function readFrames(hash: Hash, source: Source) {
  const options = { tracer: 'callTracer' }
  const top = await ifAnswered(source.ask<CallFrame>('debug_traceTransaction', hash, options))
  return top && flat(top, 0).slice(0, MOST_FRAMES)
}

function flat(frame: CallFrame, depth: number): { frame: CallFrame; depth: number }[] {
  return [{ frame, depth }, ...(frame.calls ?? []).flatMap((call) => flat(call, depth + 1))]
}

/** Bytes of all calls of a page that are decoded, and characters of one call or result that are shown. */
const MOST_BYTES = 4 * MOST_DECODED
const MOST_SHOWN = 300

function readCalls(
  frames: { frame: CallFrame; depth: number }[],
  knownAt: (address: Address | undefined) => { abi: Abi; name: string | undefined } | undefined,
  errors: Abi,
) {
  let left = MOST_BYTES
  return frames.map(({ depth, frame }) => {
    const { error, input = '0x', output = '0x', revertReason: words, to } = frame
    const { abi = [], name } = knownAt(to) ?? {}
    left -= (input.length + output.length) / 2
    if (left < 0)
      return { frame, depth, name, call: undefined, result: undefined, failure: words ?? error }
    const call = frame.type.startsWith('CREATE')
      ? undefined
      : decodeCalldata(input, abi, MOST_DECODED)
    const reason = error === undefined ? undefined : decodeRevert(output, errors, MOST_DECODED)
    return {
      frame,
      depth,
      name,
      call: call && cut(decodedText(call)),
      result: error === undefined && call ? resultOf(abi, input, output) : undefined,
      failure: error && cut(words ?? (reason ? decodedText(reason) : error)),
    }
  })
}

function resultOf(abi: Abi, input: Hex, data: Hex): string | undefined {
  const [item] = selectedBy(input, abi, 'function')
  if (!item || item.outputs.length === 0 || data === '0x') return undefined
  try {
    assertDecodedSize(item.outputs, data, MOST_DECODED)
    return cut(valueText(decodeFunctionResult({ abi: [item], data })))
  } catch {
    return undefined
  }
}

const cut = (text: string) => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text)

/** The reason of a failure: the revert data in words, otherwise the note of the node; with the bytes of an error that no known ABI has. */
function reasonOf(
  info: TransactionInfo | undefined,
  abi: Abi,
  failureOf: ((info: TransactionInfo) => string) | undefined,
  decimals: CoinDecimals,
): { text: string; data?: Hex } | undefined {
  if (!info) return undefined
  const outcome = info.receipt?.result
  const failed = info.result === 'FAILED' || (outcome !== undefined && outcome !== 'SUCCESS')
  if (!failed) return undefined
  const data: Hex = `0x${info.contractResult?.[0] ?? ''}`
  if (outcome === 'REVERT') {
    const known = decodeRevert(data, abi, MOST_DECODED)
    const text = revertReason(data) ?? (known && decodedText(known))
    if (text !== undefined) return { text }
    if (data === '0x') return { text: 'reverted without a reason' }
    const words = failureOf?.(info).replace(/^VM Exception while processing transaction: /, '')
    // Words that repeat the bytes say no more than the selector.
    if (words && !words.includes(data)) return { text: words }
    return { text: `an error that no known ABI has: ${data.slice(0, 10)}`, data }
  }
  // A chain that counts as Ethereum does also says it so.
  if (outcome === 'OUT_OF_ENERGY' && decimals === 18) return { text: 'out of gas' }
  const note = hexText(info.resMessage)
  const words = outcome?.replaceAll('_', ' ').toLowerCase()
  return { text: [words, note].filter((text) => text !== undefined && text !== '').join(': ') }
}

/** The name of an account or contract, or that of its token. */
function nameOf(known: { name: string | undefined; token: Token | undefined } | undefined) {
  return known?.name ?? known?.token?.name
}

/** A decoded call or error: `InsufficientBalance(from: 0x…, needed: 5)`. */
export function decodedText({ name, params }: Decoded): string {
  return `${name}(${params.map((one) => `${one.name}: ${valueText(one.value)}`).join(', ')})`
}

function rowOfEthereum(
  { from, hash, input, to, value }: RpcTransaction,
  receipt: RpcReceipt | null,
  place: { block: number; time: number },
): Row {
  return {
    hash,
    from,
    to: to ?? receipt?.contractAddress ?? null,
    action: input === '0x' ? 'transfer' : input.slice(0, 10),
    value: BigInt(value),
    toName: undefined,
    token: undefined,
    status: receipt ? (receipt.status === '0x1' ? 'success' : 'failed') : 'pending',
    receipt: receipt ?? undefined,
    ...place,
  }
}

/** The accounts in the fields of a native contract. */
function addressesIn(value: unknown): Address[] {
  if (typeof value === 'string') return /^41[0-9a-f]{40}$/.test(value) ? [toRpcAddress(value)] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'data' || name === 'bytecode' ? [] : addressesIn(inner),
  )
}

async function nativeTokensIn(
  value: NativeValue,
  info: TransactionInfo | undefined,
  source: Source,
) {
  const ids = new Set<string>()
  for (const name of [
    'asset_name',
    'token_id',
    'first_token_id',
    'second_token_id',
    'sell_token_id',
    'buy_token_id',
  ]) {
    const text = value[name]
    const id =
      typeof text === 'string' ? (hexText(text) ?? '') : `${(text as Int64 | undefined) ?? ''}`
    if (/^\d{1,19}$/.test(id)) ids.add(id)
  }
  for (const { callValueInfo = [] } of info?.internal_transactions ?? [])
    for (const { tokenId } of callValueInfo) if (tokenId) ids.add(tokenId)
  const tokens = await Promise.all(
    [...ids].slice(0, MOST_CONTRACTS).map((id) => source.nativeToken(id)),
  )
  return new Map(tokens.map((token) => [token.id, token]))
}

function signersOf(native: Transaction | undefined, from: Address): Address[] {
  if (!native || native.ethereum) return [from]
  try {
    return recoverSigners(native).map(toRpcAddress)
  } catch {
    return []
  }
}
