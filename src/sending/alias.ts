import type { Hash } from 'viem'
import { numberToHex } from 'viem/utils'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import { toRpcTransaction } from '../codec/transaction.ts'
import type { RpcReceipt, RpcTransaction } from '../codec/types.ts'
import type { Call } from '../lib/call.ts'
import { fromPrepared, type Prepared } from '../lib/prepared.ts'
import { decodeTransaction } from '../native/protobuf/transaction.ts'
import type { Sending } from './sending.ts'
import type { SentTransaction } from './sentStore.ts'

type Needs = {
  chain: Pick<Chain, 'energyPrice' | 'id' | 'latest' | 'receipt' | 'transaction' | 'view'>
  call?: Call | undefined
  sending: Pick<Sending, 'find' | 'rewritesPredicted'>
}

/**
 * A transaction by its native id or by the Ethereum hash under which it was sent. Its `hash` is the requested one. A
 * transaction that was sent through the gateway has its nonce, and is found at once while it is pending.
 */
export async function transactionByHash(
  hash: Hash,
  { call, chain, sending }: Needs,
): Promise<RpcTransaction | undefined> {
  const own = await chain.transaction(hash, call)
  const sent = await sentAs(hash, sending, own)
  if (!sent) return own
  const found =
    own ?? (await chain.transaction(sent.id, call)) ?? (await pendingTransaction(sent, chain))
  return found && { ...found, hash, nonce: numberToHex(sent.nonce) }
}

/** The receipt of a transaction by either of its hashes. All its hash fields are the requested hash. */
export async function receiptByHash(
  hash: Hash,
  { call, chain, sending }: Needs,
): Promise<Prepared<RpcReceipt> | RpcReceipt | undefined> {
  const own = await chain.receipt(hash, call)
  if (own && !sending.rewritesPredicted) return own
  const sent = await sentAs(hash, sending, own)
  const prepared =
    own ?? (sent && sent.id !== hash ? await chain.receipt(sent.id, call) : undefined)
  if (!prepared || !sent || (own && !sent.replaced)) return prepared
  const receipt = fromPrepared(prepared)
  return {
    ...receipt,
    logs: receipt.logs.map((log) => ({ ...log, transactionHash: hash })),
    transactionHash: hash,
    ...(sent.replaced && { predictedAddresses: sent.replaced }),
  }
}

/** The record of a hash. Without the store, what is found on the chain is enough: only its nonce is unknown. */
const sentAs = (hash: Hash, { find }: Pick<Sending, 'find'>, own: unknown) =>
  own ? find(hash).catch(() => undefined) : find(hash)

/** A sent transaction that can still be mined. A node behind a load balancer may not have received it yet. */
async function pendingTransaction(
  { expiration, hex }: SentTransaction,
  chain: Needs['chain'],
): Promise<RpcTransaction | undefined> {
  if (!hex || chain.view !== 'full' || expiration <= chain.latest().timestamp) return undefined
  return toRpcTransaction(decodeTransaction(hex), {
    chainId: chain.id,
    energyPrice: await chain.energyPrice(),
  })
}
