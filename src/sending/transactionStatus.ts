import type { Hash, Hex } from 'viem'

import type { Chain } from '../chain/blocks/chainTypes.ts'
import type { BlockId } from '../codec/blockRef.ts'
import { toQuantity } from '../codec/quantity.ts'
import { hasSucceeded } from '../codec/receipt.ts'
import { revertReason } from '../codec/revert.ts'
import type { Call } from '../lib/call.ts'
import { UpstreamError } from '../lib/errors.ts'
import { fromPrepared } from '../lib/prepared.ts'
import type { NativeClient } from '../native/client.ts'
import { expirationOf } from '../native/protobuf/transaction.ts'
import type { TransactionInfo } from '../native/wire/types.ts'
import type { NodeLook } from './nodeLooks.ts'
import type { Sending } from './sending.ts'

type Needs = {
  chain: Pick<Chain, 'block' | 'latest' | 'solid'>
  native: NativeClient
  call: Call
  sending: Pick<Sending, 'ending' | 'find' | 'lookAtNodes' | 'orphanWith'>
}

/** Every state of a transaction. */
export const STATES = [
  'unknown',
  'uncertain',
  'submitted',
  'pending',
  'mined',
  'removed',
  'refused',
  'expired',
] as const

/** How a mined transaction can have ended. */
export const OUTCOMES = ['success', 'reverted', 'outOfEnergy', 'failed'] as const

/** What became of a transaction. `evidence` says in words from where this is known. */
export type TransactionStatus = {
  state: (typeof STATES)[number]
  /** The native id. */
  transactionHash: Hash
  /** The Ethereum hash under which it was sent. */
  ethereumHash: Hash | null
  evidence: string
  block?: { number: Hex; hash: Hash; confirmations: Hex; solidified: boolean }
  outcome?: (typeof OUTCOMES)[number]
  /** Why it was refused, reverted or failed. */
  reason?: string
  /** Names of the nodes that refused it, or that have it in their pool. Absent where the gateway has one node. */
  nodes?: string[]
  /** The words of each node that refused it, in the order of `nodes`. */
  words?: string[]
  /** The newest block with it that a reorg removed. */
  removedFrom?: { number: Hex; hash: Hash }
  /** Unix time in seconds after which no block can include it. */
  expiration?: Hex
}

/** The status of the transaction with a native id, or with the Ethereum hash under which it was sent. */
export async function transactionStatus(hash: Hash, needs: Needs): Promise<TransactionStatus> {
  const { call, chain, native, sending } = needs
  const sent = await sending.find(hash)
  const ending = sent ? undefined : await sending.ending(hash)
  const known = sent ?? ending
  const id = known?.id ?? hash
  const orphan = sending.orphanWith(id)
  const status = (
    state: TransactionStatus['state'],
    more: Partial<TransactionStatus> & { evidence: string },
  ): TransactionStatus => ({
    state,
    transactionHash: id,
    ethereumHash: known?.alias ?? null,
    ...(orphan && { removedFrom: { number: toQuantity(orphan.number), hash: orphan.hash } }),
    ...until(known?.expiration),
    ...more,
  })
  const info = await native.wallet.getTransactionInfoById({ value: id.slice(2) }, call)
  const looks = info ? [] : await sending.lookAtNodes(id, call)
  const found = info ? { info, native } : looks.find((look) => look.info)
  if (found?.info) return status('mined', await mined(found.info, found.native, needs))
  // What the gateway has read in a block is there, whatever a node does not show.
  if (sent?.block)
    return status('mined', {
      ...placeOf(sent.block, chain),
      evidence: evidenceOf('this gateway has read it', sent.state === 'final'),
    })
  const having = looks.filter(({ waiting }) => waiting)
  const unasked = unaskedIn(looks)
  if (having[0]?.waiting)
    return status('pending', {
      ...until(expirationOf(having[0].waiting.raw_data)),
      ...named(namesOf(having)),
      evidence: `${orphan ? 'a reorg removed its block, and ' : ''}${inPools(having)}${orphan ? ' again' : ''}${unasked}`,
    })
  if (ending?.state === 'expired') return status('expired', { evidence: EXPIRED })
  const nowhere = `no asked node has it in a block or in its pool${unasked}`
  if (orphan) return status('removed', { evidence: `a reorg removed its block; ${nowhere}` })
  if (sent) {
    const done = sent.broadcasts > 0 ? 'sent' : 'signed'
    return status('submitted', { evidence: `this gateway ${done} it; ${nowhere}` })
  }
  if (ending)
    return status('refused', {
      ...named(ending.nodes),
      ...(ending.words?.length && { words: ending.words }),
      reason: ending.reason,
      evidence: `${listed(ending.nodes) || 'a node'} refused it when this gateway sent it; ${nowhere}`,
    })
  // Nodes keep no outcomes of these.
  const block = await chain.block(0, false, call)
  const first = block && fromPrepared(block)
  if (first && (first.transactions as Hash[]).includes(id))
    return status('mined', {
      ...placeOf({ number: 0, hash: first.hash }, chain),
      outcome: 'success',
      evidence: 'it is in block 0, which the chain began with',
    })
  return status(unasked === '' ? 'unknown' : 'uncertain', {
    evidence: `this gateway has no record of it; ${nowhere}`,
  })
}

const EXPIRED =
  'the gateway has read every block that could have it, up to a solidified one after its expiration'

const named = (nodes: string[]) => nodes.length > 0 && { nodes }

const namesOf = (looks: NodeLook[]) => looks.flatMap(({ name }) => name ?? [])

const listed = (names: string[]) => names.join(', ').replace(/, ([^,]*)$/, ' and $1')

const inPools = (having: NodeLook[]) =>
  `${listed(namesOf(having)) || 'a node'} ${having.length > 1 ? 'have it in their pools' : 'has it in its pool'} of pending transactions`

/** Which nodes could not be asked, as the end of a sentence; empty when all were. */
function unaskedIn(looks: readonly NodeLook[]): string {
  const faults = looks.flatMap(({ fault, name }) =>
    fault === undefined ? [] : `${name ?? 'the node'} could not be asked (${fault})`,
  )
  return faults.map((text) => `; ${text}`).join('')
}

const until = (milliseconds: number | undefined) =>
  milliseconds !== undefined && { expiration: toQuantity(Math.floor(milliseconds / 1000)) }

async function mined(info: TransactionInfo, native: NativeClient, { call, chain }: Needs) {
  const { blockNumber = 0, contractResult, receipt } = info
  const block = await native.wallet.getBlock(
    { id_or_num: String(blockNumber), detail: false },
    call,
  )
  if (!block) throw new UpstreamError(`the node does not have block ${blockNumber}`)
  const outcome = outcomeOf(info)
  const data = `0x${contractResult?.[0] ?? ''}` as const
  const reason =
    outcome === 'reverted' ? revertReason(data) : outcome === 'failed' ? receipt?.result : undefined
  const place = placeOf({ number: blockNumber, hash: `0x${block.blockID}` }, chain)
  return {
    ...place,
    outcome,
    ...(reason !== undefined && { reason }),
    evidence: evidenceOf('a node has its receipt', place.block.solidified),
  }
}

const evidenceOf = (who: string, isSolidified: boolean) =>
  isSolidified
    ? `${who} in a solidified block, which no reorg can remove`
    : `${who} in a block that a reorg can still remove`

function placeOf({ hash, number }: BlockId, chain: Pick<Chain, 'latest' | 'solid'>) {
  return {
    block: {
      number: toQuantity(number),
      hash,
      confirmations: toQuantity(Math.max(0, chain.latest().number - number + 1)),
      solidified: number <= chain.solid().number,
    },
  }
}

function outcomeOf(info: TransactionInfo): (typeof OUTCOMES)[number] {
  if (info.receipt?.result === 'REVERT') return 'reverted'
  if (info.receipt?.result === 'OUT_OF_ENERGY') return 'outOfEnergy'
  return hasSucceeded(info) ? 'success' : 'failed'
}
