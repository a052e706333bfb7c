import type { Hash } from 'viem'

import type { ChainUpdate, Head, RecentBlock } from '../chain/head/headTypes.ts'
import { contractAddress, toRpcAddress } from '../lib/address.ts'
import type { NativeClient } from '../native/client.ts'
import type { Contracts } from './contracts.ts'
import type { SentStore } from './sentStore.ts'

/** Maximum number of expired transactions that one head looks up. */
const SWEEP = 100

/**
 * Follows sent transactions until they are mined or expired. Each head marks the transactions in new blocks as mined. A
 * transaction that expired before the solidified block cannot be in any later block: it is looked up once more and
 * released, which frees its nonce. Every replica may do this; each transaction counts once.
 *
 * @param onError - called when handling a head failed. The next head tries again, with all blocks since then that the window has.
 */
export function createOutcomes({
  contracts,
  head,
  native,
  onError,
  store,
}: createOutcomes.Options): {
  start(): void
  /** Resolves when the current work is done. */
  stop(): Promise<void>
} {
  let unsubscribe: (() => void) | undefined
  let tail: Promise<void> = Promise.resolve()
  /** The lowest block whose transactions were not looked up, because handling its head failed. */
  let missedFrom = Infinity

  /** The blocks of an update, and those before it that were missed. */
  function blocksOf({ added }: ChainUpdate): readonly RecentBlock[] {
    const first = added[0]?.number ?? Infinity
    if (first <= missedFrom) {
      missedFrom = first
      return added
    }
    return head.window()?.blocks.filter(({ number }) => number >= missedFrom) ?? added
  }

  async function follow(update: ChainUpdate): Promise<void> {
    const { solidified } = update
    const mined = await store.pick(blocksOf(update).flatMap(({ transactions }) => transactions))
    for (const id of mined) await confirmMined(id, { head, native, store })
    missedFrom = Infinity
    await contracts.refresh()
    for (const id of await store.pending({ expiredAt: solidified.timestamp, limit: SWEEP }))
      if ((await confirmMined(id, { head, native, store })) === 'absent')
        await store.release(id, { state: 'expired' })
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

export declare namespace createOutcomes {
  type Options = {
    contracts: Pick<Contracts, 'refresh'>
    head: Pick<Head, 'latest' | 'onUpdate' | 'window'>
    native: NativeClient
    onError: (error: unknown) => void
    store: SentStore
  }
}

/**
 * Marks a transaction as mined if this gateway can return its receipt: the node has it, in a block of the head.
 *
 * @returns `ahead` when its block is above the head, `absent` when it is in no block.
 */
export async function confirmMined(
  id: Hash,
  { head, native, store }: { head: Pick<Head, 'latest'>; native: NativeClient; store: SentStore },
): Promise<'mined' | 'ahead' | 'absent'> {
  const info = await native.wallet.getTransactionInfoById({ value: id.slice(2) })
  if (!info) return 'absent'
  if ((info.blockNumber ?? 0) > head.latest().number) return 'ahead'
  if (info.contract_address) await addCreated(id, info.contract_address, store)
  await store.confirm(id)
  return 'mined'
}

/** Records the contract of a mined creation: the process may have ended before. Calls have a contract address too. */
async function addCreated(id: Hash, contract: string, store: SentStore): Promise<void> {
  const sent = await store.find(id)
  if (sent && contractAddress(id, sent.from) === toRpcAddress(contract)) await store.addContract(id)
}
