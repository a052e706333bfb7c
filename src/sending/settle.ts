import type { Hash } from 'viem'

import type { Head, ChainUpdate } from '../chain/headTypes.ts'
import type { NativeClient } from '../native/client.ts'
import type { Contracts } from './contracts.ts'
import type { SentStore } from './sentStore.ts'

/** Expired transactions that are looked up at one head. */
const SWEEP = 100

/**
 * Follows what was sent: at every head, transactions of new blocks are counted as mined, and those that have expired are
 * looked up once more and dropped, so that their nonces are free again. Any replica may do it; each transaction counts once.
 *
 * @param onError - told of a step that failed; the next head tries again.
 */
export function createSettler({ contracts, head, native, onError, store }: createSettler.Options): {
  start(): void
  /** Resolves when the step under way is done. */
  stop(): Promise<void>
} {
  let unsubscribe: (() => void) | undefined
  let tail: Promise<void> = Promise.resolve()

  async function settle({ added }: ChainUpdate): Promise<void> {
    await contracts.refresh()
    const mined = await store.pick(added.flatMap(({ transactions }) => transactions))
    for (const id of mined) await confirmMined(id, { head, native, store })
    const tip = added.at(-1)
    if (!tip) return
    // A block may not include what expired before its own time, and none after it will.
    for (const id of await store.pending({ expiredAt: tip.timestamp, limit: SWEEP }))
      if ((await confirmMined(id, { head, native, store })) === 'absent') await store.release(id)
  }

  return {
    start() {
      tail = tail.then(() => contracts.refresh()).catch(onError)
      unsubscribe ??= head.onUpdate((change) => {
        tail = tail.then(() => settle(change)).catch(onError)
      })
    },
    async stop() {
      unsubscribe?.()
      unsubscribe = undefined
      await tail
    },
  }
}

export declare namespace createSettler {
  type Options = {
    contracts: Pick<Contracts, 'refresh'>
    head: Pick<Head, 'latest' | 'onUpdate'>
    native: NativeClient
    onError: (error: unknown) => void
    store: SentStore
  }
}

/**
 * Counts a transaction as mined once its receipt can be read here: the node has it, in a block that the head has reached.
 *
 * @returns `ahead` when its block is one that the head has not reached, `absent` when it is in none.
 */
export async function confirmMined(
  id: Hash,
  { head, native, store }: { head: Pick<Head, 'latest'>; native: NativeClient; store: SentStore },
): Promise<'mined' | 'ahead' | 'absent'> {
  const info = await native.wallet.getTransactionInfoById({ value: id.slice(2) })
  if (!info) return 'absent'
  if ((info.blockNumber ?? 0) > head.latest().number) return 'ahead'
  await store.confirm(id)
  return 'mined'
}
