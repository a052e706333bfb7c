import type { Address, Hash, Hex } from 'viem'

import { decodeCalldata } from '../../../codec/abi.ts'
import type { RpcReceipt } from '../../../codec/types.ts'
import { toRpcAddress, toRpcAddressOrNull } from '../../../lib/address.ts'
import type { Int64, Transaction } from '../../../native/wire/types.ts'
import { MOST_DECODED } from '../abi.ts'
import { operationOf } from '../operations.ts'
import { hexText } from '../text.ts'
import { type NativeToken, type Source, type Token, tokenInList } from './source.ts'

/** The content of a native contract, as the node sends it. */
export type NativeValue = Record<string, unknown>

/** A transaction in a list. */
export type Row = {
  hash: Hash
  from: Address
  to: Address | null
  /** What it does, in one or two words: the function of a call, or the native operation. */
  action: string
  /** Coins that it moves, stakes or unstakes. */
  value: bigint
  /** The name of the contract that it calls. */
  toName: string | undefined
  /** The token that it moves, with the amount. */
  token: { amount: bigint; token: Token | NativeToken } | undefined
  status: 'success' | 'failed' | 'pending'
  block: number
  /** Seconds. */
  time: number
  receipt: RpcReceipt | undefined
}

/** Where a transaction is. Time in seconds. */
export type Place = { block: number; time: number; receipt?: RpcReceipt | undefined }

/** Reads a native transaction as a row. */
export async function rowOf(
  transaction: Transaction,
  { block, receipt, time }: Place,
  source: Source,
): Promise<Row> {
  const contract = transaction.raw_data.contract?.[0]
  const value = (contract?.parameter?.value ?? {}) as NativeValue
  const operation = operationOf(contract?.type)
  const status = statusOf(transaction, receipt)
  const created = status === 'success' ? receipt?.contractAddress : undefined
  const to = toRpcAddressOrNull(operation.to && value[operation.to]) ?? created ?? null
  const token = nativeTokenOf(contract?.type, value)
  const row: Row = {
    hash: `0x${transaction.txID}`,
    // A shielded transfer names its sender only when that is not hidden.
    from: toRpcAddress(value['owner_address'] ?? value['transparent_from_address']),
    to,
    toName: undefined,
    action: operation.name,
    value: int(operation.coins && fieldAt(value, operation.coins)),
    token: token && { amount: token.amount, token: await source.nativeToken(token.id) },
    status,
    block,
    time,
    receipt,
  }
  return contract?.type === 'TriggerSmartContract' && to
    ? { ...row, ...(await callOf(inputOf(value), to, source)) }
    : row
}

/** What a call of a contract adds to a row: names, and the amount of a token transfer. */
async function callOf(data: Hex, to: Address, source: Source): Promise<Partial<Row>> {
  const [{ abi, name }, token] = await Promise.all([source.contract(to), tokenInList(to, source)])
  const toName = token?.name ?? name
  if (data.length < 10) return { toName, action: 'transfer' }
  const call = decodeCalldata(data, abi, MOST_DECODED)
  const amount = call?.name === 'transfer' ? call.params[1]?.value : undefined
  return {
    toName,
    action: call?.name ?? data.slice(0, 10),
    ...(token && typeof amount === 'bigint' && { token: { amount, token } }),
  }
}

/** A field of a native contract, or a field inside one: `new_contract.call_value`. */
function fieldAt(value: NativeValue, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((inner, name) => (inner as NativeValue | undefined)?.[name], value)
}

/** Call data of a contract call, with `0x`. */
function inputOf(value: NativeValue): Hex {
  return `0x${typeof value['data'] === 'string' ? value['data'] : ''}`
}

/** An int64 of a native contract; 0 when it is absent. */
export function int(value: unknown): bigint {
  return BigInt((value as Int64 | undefined) ?? 0)
}

function nativeTokenOf(type: string | undefined, value: NativeValue) {
  if (type === 'TransferAssetContract')
    return { id: hexText(String(value['asset_name'])) ?? '', amount: int(value['amount']) }
  if (type?.endsWith('SmartContract') && int(value['call_token_value']) > 0n)
    return { id: String(value['token_id']), amount: int(value['call_token_value']) }
  return undefined
}

function statusOf({ ret }: Transaction, receipt: RpcReceipt | undefined): Row['status'] {
  if (receipt) return receipt.status === '0x1' ? 'success' : 'failed'
  const outcome = ret?.[0]?.contractRet
  return outcome === undefined || outcome === 'SUCCESS' ? 'success' : 'failed'
}
