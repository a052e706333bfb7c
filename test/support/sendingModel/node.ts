import type { Hash } from 'viem'

import { LimitExceededError, UpstreamError } from '../../../src/lib/errors.ts'
import type { NativeClient } from '../../../src/native/client.ts'
import { NodeTimeoutError, NodeUnreachableError } from '../../../src/native/errors.ts'
import type { BroadcastResult } from '../../../src/native/wire/accountTypes.ts'
import type { ModelChain } from './chain.ts'

/** Answers of a node to a broadcast. `Has` means that it has the transaction in its pool then. */
export const ANSWERS = [
  'accepted',
  'refused',
  'busy',
  'busyHas',
  'duplicate',
  'resetBefore',
  'resetAfter',
  'hang',
  'hangHas',
  'errorHas',
  'tooLargeHas',
  'notSent',
] as const

/** One of `ANSWERS`. */
export type Answer = (typeof ANSWERS)[number]

/** A node of a chain, as each replica calls it. */
export function createModelNode({
  chain,
  nextAnswer,
  nextShows,
  onBroadcast,
}: createModelNode.Options) {
  const { has, pool } = chain

  function answer(id: Hash): BroadcastResult {
    onBroadcast(id)
    const kind = nextAnswer()
    const isKnown = pool.has(id) || has(id)
    if (kind === 'accepted' || kind === 'resetAfter' || kind.endsWith('Has')) pool.add(id)
    switch (kind) {
      case 'accepted':
        return isKnown ? { code: 'DUP_TRANSACTION_ERROR' } : { result: true }
      case 'refused':
        return { result: false, code: 'CONTRACT_VALIDATE_ERROR', message: 'no' }
      case 'busy':
      case 'busyHas':
        return { result: false, code: 'NOT_ENOUGH_EFFECTIVE_CONNECTION' }
      case 'duplicate':
        return { result: false, code: 'DUP_TRANSACTION_ERROR' }
      case 'hang':
      case 'hangHas':
        throw new NodeTimeoutError(1)
      case 'errorHas':
        throw new UpstreamError('failed')
      case 'tooLargeHas':
        throw new LimitExceededError('too large')
      case 'notSent':
        throw unreachable('ECONNREFUSED')
      case 'resetBefore':
      case 'resetAfter':
    }
    throw unreachable('ECONNRESET')
  }

  function solidBlock(number: number) {
    const block = chain.blocks()[number]
    if (!block || block.number > chain.solidified().number) return undefined
    return {
      blockID: block.hash.slice(2),
      block_header: {
        raw_data: { number, parentHash: block.parentHash.slice(2), timestamp: block.timestamp },
      },
      transactions: block.transactions.map((id) => ({ txID: id.slice(2) })),
    }
  }

  /** @param slowly - runs each call */
  return (slowly: <value>(call: () => Promise<value>) => Promise<value>): NativeClient => {
    const calls = {
      wallet: {
        broadcastHex: ({ transaction }: { transaction: string }) =>
          slowly(async () => answer(`0x${transaction}`)),
        getTransactionById: ({ value }: { value: string }) =>
          slowly(async () =>
            nextShows() && (pool.has(`0x${value}`) || has(`0x${value}`)) ? {} : undefined,
          ),
      },
      solidity: {
        // A node that stands shows nothing.
        getTransactionById: () => slowly(async () => undefined),
        getBlock: ({ id_or_num }: { id_or_num: string }) =>
          slowly(async () => solidBlock(Number(id_or_num))),
      },
    }
    return calls as unknown as NativeClient
  }
}

const unreachable = (code: string) =>
  new NodeUnreachableError({ cause: Object.assign(new Error(), { code }) })

export declare namespace createModelNode {
  type Options = {
    chain: ModelChain
    nextAnswer: () => Answer
    /** Whether the node shows a transaction that it has, at each look. */
    nextShows: () => boolean
    onBroadcast: (id: Hash) => void
  }
}
