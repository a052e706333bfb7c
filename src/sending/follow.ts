import type { Hash } from 'viem'

import type { ChainUpdate, Head, HeadBlock } from '../chain/head/headTypes.ts'
import { toHeadBlock } from '../chain/head/source.ts'
import { UpstreamError } from '../lib/errors.ts'
import type { NativeClient } from '../native/client.ts'
import { ifServed } from '../native/errors.ts'
import type { Contracts } from './contracts.ts'
import { type SentStore, type SentTransaction, toId } from './sentStore.ts'

/** Maximum number of transactions that one update makes final, and that it checks for expiration: 330 a second with blocks of 3 s. */
const SWEEP = 1_000

/** Blocks that one update reads below the window, and blocks that are read at the same time. */
const READ = 256
const PARALLEL = 8

/**
 * Follows sent transactions by the blocks that the head reads: a transaction in a new block is mined, one in a removed block is
 * pending and sent again, one in a solidified block is final. One that is in no block up to a solidified one after its expiration has
 * expired. Every replica may do this; each change counts once.
 *
 * The blocks that prove an expiration are those of the window. A transaction that is older than the window, because no replica ran
 * for a while, needs those below it, which are read first.
 *
 * @param onError - called when handling a head failed. The next head tries again, with all blocks since then that the window has.
 */
export function createFollow({
  contracts,
  head,
  native,
  onError = () => {},
  resend,
  store,
}: createFollow.Options): {
  start(): void
  /** Resolves when the current work is done. */
  stop(): Promise<void>
} {
  let unsubscribe: (() => void) | undefined
  let tail: Promise<void> = Promise.resolve()
  /** The lowest block whose transactions were not looked up, because handling its head failed. */
  let missedFrom = Infinity
  /** The lowest block since which this process has looked up the transactions of all blocks. */
  let followedFrom = Infinity
  /** Blocks below the window that this update may still read. */
  let room = 0
  /** The blocks below that were read last, from the one after `from` to `to`. */
  let older: { from: number; to: { number: number; hash: Hash; timestamp: number } } | undefined

  async function follow({ added, removed, solidified }: ChainUpdate): Promise<void> {
    const first = added[0]?.number ?? Infinity
    const isMissing = missedFrom < first
    const blocks = isMissing
      ? (head.window()?.blocks.filter(({ number }) => number >= missedFrom) ?? [])
      : added
    const from = blocks[0]?.number ?? first
    // Some of the missed ones have left the window meanwhile.
    if (isMissing && from > missedFrom) followedFrom = Infinity
    missedFrom = from
    followedFrom = Math.min(followedFrom, from)
    const again: Hash[] = []
    for (const block of removed)
      for (const id of await store.pick(block.transactions)) {
        const { changed } = await store.change(id, { event: 'removed', block: toId(block) })
        if (changed) again.push(id)
      }
    for (const block of blocks)
      await Promise.all((await store.pick(block.transactions)).map((id) => see(id, block)))
    missedFrom = Infinity
    for (const id of again) sendAgain(id)
    await contracts.refresh()
    await settle(solidified)
    await expire(solidified)
  }

  /** Broadcasts a transaction of a removed block again. Most nodes still have it in their pool; this is for those that dropped it. */
  function sendAgain(id: Hash): void {
    if (!head.blockWith(id)) void resend(id).catch(onError)
  }

  async function see(id: Hash, block: HeadBlock): Promise<void> {
    const { sent } = await store.change(id, { event: 'seen', block: toId(block) })
    if (sent) await addContract(sent)
  }

  /** The process that sent it may have ended before it recorded the contract. */
  const addContract = async ({ creates, id }: SentTransaction) => creates && store.addContract(id)

  /** Makes transactions of solidified blocks final, and those pending whose block is not on the chain, as this process missed. */
  async function settle({ number: upTo }: HeadBlock): Promise<void> {
    const ids = await store.mined({ upTo, limit: SWEEP })
    // All at once: changes of one event loop tick share a write.
    const settled = ids.map(async (id) => {
      const block = (await store.find(id))?.block
      if (!block) return
      const { hash } = head.at(block.number) ?? (await solidBlock(block.number))
      const event = hash === block.hash ? 'final' : 'removed'
      const { changed } = await store.change(id, { event, block })
      if (event === 'final' || !changed) return
      const other = head.blockWith(id)
      if (other) await see(id, other)
      else sendAgain(id)
    })
    await Promise.all(settled)
  }

  /** Releases transactions that no block can have any more. */
  async function expire({ timestamp }: HeadBlock): Promise<void> {
    const ids = await store.unfinished({ expiredAt: timestamp, limit: SWEEP })
    room = READ
    for (const sent of await Promise.all(ids.map((id) => store.find(id)))) {
      if (sent?.state !== 'pending') continue
      const block = head.blockWith(sent.id)
      if (block) await see(sent.id, block)
      else if ((await isRead(sent)) && (await isNowhere(sent)))
        await store.change(sent.id, { event: 'expired' })
    }
  }

  /** Whether the transactions of all blocks that can have it were looked up. Reads blocks below the window. */
  async function isRead({ after, expiration }: SentTransaction): Promise<boolean> {
    const windowFrom = head.window()?.blocks[0]?.number ?? Infinity
    const to = Math.min(followedFrom, windowFrom)
    // Earlier versions did not record it, and only looked transactions up.
    if (!after || after.number + 1 >= to) return true
    if (!older || after.number < older.from)
      older = { from: after.number, to: { ...after, timestamp: 0 } }
    const isEnough = () =>
      older === undefined || older.to.number + 1 >= to || older.to.timestamp > expiration
    for (; room > 0 && !isEnough(); room -= PARALLEL) {
      const first = older.to.number + 1
      const numbers = Array.from({ length: Math.min(PARALLEL, to - first) }, (_, i) => first + i)
      for (const block of await Promise.all(numbers.map(solidBlock))) {
        if (block.parentHash !== older.to.hash) {
          older = undefined
          throw new UpstreamError('the solidified blocks of the node are not one chain')
        }
        for (const id of await store.pick(block.transactions)) {
          await see(id, block)
          await store.change(id, { event: 'final', block: toId(block) })
        }
        older.to = block
      }
    }
    return isEnough()
  }

  async function solidBlock(number: number) {
    const block = await native.solidity.getBlock({ id_or_num: String(number), detail: true })
    if (!block) throw new UpstreamError(`the node does not have block ${number}`)
    const transactions = (block.transactions ?? []).map(({ txID }): Hash => `0x${txID}`)
    return { ...toHeadBlock(block), number, transactions }
  }

  /** False when a node shows it in a solidified block: its sender may have sent it elsewhere before. */
  async function isNowhere(sent: SentTransaction): Promise<boolean> {
    const value = sent.id.slice(2)
    const found = await ifServed(native.solidity.getTransactionById({ value }))
    if (!found) return true
    await addContract(sent)
    await store.change(sent.id, { event: 'final' })
    return false
  }

  return {
    start() {
      tail = tail.then(() => contracts.refresh()).catch(onError)
      unsubscribe ??= head.onUpdate((update) => {
        tail = tail.then(() => follow(update)).catch(onError)
      })
    },
    async stop() {
      unsubscribe?.()
      unsubscribe = undefined
      await tail
    },
  }
}

export declare namespace createFollow {
  type Options = {
    contracts: Pick<Contracts, 'refresh'>
    head: Pick<Head, 'at' | 'blockWith' | 'onUpdate' | 'window'>
    native: NativeClient
    onError?: (error: unknown) => void
    /** Broadcasts a transaction again. */
    resend: (id: Hash) => Promise<unknown>
    store: SentStore
  }
}
