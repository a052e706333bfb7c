import type { Applied } from './execution.ts'
import { nonceOf } from './nonce.ts'
import type { StateReader } from './state.ts'
import type { ChainTransaction } from './transaction.ts'

/** A transaction that waits, with what it did on top of those before it when that was tried. */
export type Pending = { transaction: ChainTransaction; applied?: Applied }

/** The transactions that wait for a block, in the order in which they came. */
export type Pool = ReturnType<typeof createPool>

/** Makes an empty pool. */
export function createPool(items: readonly Pending[] = []) {
  let list: Pending[] = [...items]

  /** What the next block takes: everything but Ethereum transactions whose predecessor is missing. */
  function ready(state: StateReader): ChainTransaction[] {
    const chosen: ChainTransaction[] = []
    const next = new Map<string, bigint>()
    const early = new Map<string, ChainTransaction>()
    for (const { transaction } of list) {
      const { ethereum } = transaction
      if (!ethereum) {
        chosen.push(transaction)
        continue
      }
      const { from } = ethereum
      early.set(`${from}/${ethereum.nonce}`, transaction)
      let nonce = next.get(from) ?? nonceOf(state, from)
      for (;;) {
        const following = early.get(`${from}/${nonce}`)
        if (!following) break
        chosen.push(following)
        nonce += 1n
      }
      next.set(from, nonce)
    }
    return chosen
  }

  return {
    all: (): readonly Pending[] => list,
    ready,
    has: (id: string) => list.some(({ transaction }) => transaction.id === id),
    add: (pending: Pending) => void list.push(pending),
    /** Notes what a transaction did when it was tried. */
    tried: (id: string, applied: Applied) =>
      void (list = list.map((item) => (item.transaction.id === id ? { ...item, applied } : item))),
    keep: (wanted: (transaction: ChainTransaction) => boolean) =>
      void (list = list.filter(({ transaction }) => wanted(transaction))),
    /** The transaction of an account that waits with a nonce. */
    withNonce: (from: string, nonce: bigint): ChainTransaction | undefined =>
      list.find(
        ({ transaction: { ethereum } }) => ethereum?.from === from && ethereum.nonce === nonce,
      )?.transaction,
    /** The nonce that an account’s next transaction takes, after those that wait. */
    nonceOf(state: StateReader, from: string): bigint {
      let nonce = nonceOf(state, from)
      for (const { ethereum } of ready(state)) if (ethereum?.from === from) nonce += 1n
      return nonce
    },
  }
}
