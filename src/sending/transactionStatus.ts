import type { Hash, Hex } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import { toQuantity } from '../codec/quantity.ts'
import { revertReason } from '../codec/revert.ts'
import { shareMeter } from '../lib/meter.ts'
import { createStop } from '../lib/stopSignal.ts'
import type { NativeClient } from '../native/client.ts'
import { NodeLacksApiError } from '../native/errors.ts'
import type { TransactionInfo } from '../native/wire/types.ts'
import type { Sending } from './sending.ts'

type Needs = {
  chain: Pick<Chain, 'latest' | 'solid'>
  native: NativeClient
  request: { signal: AbortSignal }
  sending: Pick<Sending, 'askedNodes' | 'ending' | 'find' | 'orphanWith'>
}

/** What became of a transaction. `evidence` says in words from where this is known. */
export type TransactionStatus = {
  state: 'unknown' | 'submitted' | 'pending' | 'mined' | 'removed' | 'refused' | 'expired'
  /** The native id. */
  transactionHash: Hash
  /** The Ethereum hash under which it was sent. */
  ethereumHash: Hash | null
  evidence: string
  block?: { number: Hex; hash: Hash; confirmations: Hex; solidified: boolean }
  outcome?: 'success' | 'reverted' | 'outOfEnergy' | 'failed'
  /** Why it was refused, reverted or failed. */
  reason?: string
  /** Names of the nodes that refused it, or that have it in their pool. Absent where the gateway has one node. */
  nodes?: string[]
  /** The newest block with it that a reorg removed. */
  removedFrom?: { number: Hex; hash: Hash }
  /** Unix time in seconds after which no block can include it. */
  expiration?: Hex
}

/** The status of the transaction with a native id, or with the Ethereum hash under which it was sent. */
export async function transactionStatus(hash: Hash, needs: Needs): Promise<TransactionStatus> {
  const { chain, native, request, sending } = needs
  const sent = await sending.find(hash)
  const ending = sent ? undefined : await sending.ending(hash)
  const id = sent?.id ?? ending?.id ?? hash
  const value = id.slice(2)
  const orphan = sending.orphanWith(id)
  const common = {
    transactionHash: id,
    ethereumHash: sent?.alias ?? ending?.alias ?? null,
    ...(orphan && { removedFrom: { number: toQuantity(orphan.number), hash: orphan.hash } }),
  }
  const base = { ...common, ...expirationOf(sent?.expiration ?? ending?.expiration) }
  const info = await native.wallet.getTransactionInfoById({ value }, { signal: request.signal })
  if (info) return { state: 'mined', ...base, ...(await mined(info, needs)) }
  // A signal for this call only, so that it tells which nodes were asked. Its caller pays for it too.
  const signal = createStop()
  shareMeter(signal, request.signal)
  const leave = () => signal.stop(request.signal.reason)
  request.signal.addEventListener('abort', leave, { once: true })
  const waiting = await native.wallet
    .getTransactionFromPending({ value }, { signal })
    .catch((error: unknown) => {
      if (error instanceof NodeLacksApiError) return undefined
      throw error
    })
    .finally(() => request.signal.removeEventListener('abort', leave))
  if (waiting)
    return {
      state: 'pending',
      ...common,
      ...expirationOf(waiting.raw_data.expiration),
      ...named(sending.askedNodes(signal).slice(-1)),
      evidence: orphan
        ? 'a reorg removed its block, and a node has it in its pool of pending transactions again'
        : 'a node has it in its pool of pending transactions',
    }
  if (ending?.state === 'expired' || (sent && sent.expiration <= chain.solid().timestamp))
    return { state: 'expired', ...base, evidence: EXPIRED }
  if (orphan) return { state: 'removed', ...base, evidence: REMOVED }
  if (sent)
    return {
      state: 'submitted',
      ...base,
      evidence: 'this gateway sent it; the asked node has it neither in a block nor in its pool',
    }
  if (ending)
    return {
      state: 'refused',
      ...base,
      ...named(ending.nodes),
      reason: ending.reason,
      evidence: 'a node refused it when this gateway sent it, and no node has it in a block',
    }
  return {
    state: 'unknown',
    ...base,
    evidence:
      'the asked node has it neither in a block nor in its pool, and this gateway has no record of it',
  }
}

const EXPIRED = 'it is in no block, and a block after its expiration is solidified'

const REMOVED =
  'a reorg removed its block; the asked node has it neither in a block of the new branch nor in its pool'

const named = (nodes: string[]) => nodes.length > 0 && { nodes }

const expirationOf = (milliseconds: number | undefined) =>
  milliseconds !== undefined && { expiration: toQuantity(Math.floor(milliseconds / 1000)) }

async function mined(
  { blockNumber = 0, contractResult, receipt, result }: TransactionInfo,
  { chain, native, request: { signal } }: Needs,
) {
  const block = await native.wallet.getBlock(
    { id_or_num: String(blockNumber), detail: false },
    { signal },
  )
  const solidified = blockNumber <= chain.solid().number
  const outcome = outcomeOf(receipt?.result, result)
  const data = `0x${contractResult?.[0] ?? ''}` as const
  const reason =
    outcome === 'reverted' ? revertReason(data) : outcome === 'failed' ? receipt?.result : undefined
  return {
    block: {
      number: toQuantity(blockNumber),
      hash: `0x${block?.blockID ?? ''}` as const,
      confirmations: toQuantity(Math.max(0, chain.latest().number - blockNumber + 1)),
      solidified,
    },
    outcome,
    ...(reason !== undefined && { reason }),
    evidence: solidified
      ? 'a node has its receipt in a solidified block, which no reorg can remove'
      : 'a node has its receipt in a block that a reorg can still remove',
  }
}

function outcomeOf(
  code: string | undefined,
  result: string | undefined,
): NonNullable<TransactionStatus['outcome']> {
  if (code === 'REVERT') return 'reverted'
  if (code === 'OUT_OF_ENERGY') return 'outOfEnergy'
  return (code ?? 'SUCCESS') === 'SUCCESS' && result !== 'FAILED' ? 'success' : 'failed'
}
