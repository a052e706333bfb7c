import { nonceOf } from '../state/nonce.ts'
import type { StateReader } from '../state/state.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import type { Applied } from './execution.ts'

/** A transaction of the pool, with its result on top of those before it, if it was executed there. */
export type Pending = { transaction: ChainTransaction; applied?: Applied }

/** The pending transactions, in the order of their arrival. */
export type Pool = ReturnType<typeof createPool>

/**
 * Transactions of the next block as anvil and Hardhat order them: those that pay more are first. Those of a sender keep their order.
 * Of those that pay the same, the first that came is first.
 *
 * @param paid - The price of gas that a transaction pays.
 */
export function bestFirst(
  transactions: readonly ChainTransaction[],
  paid: (transaction: ChainTransaction) => bigint,
): ChainTransaction[] {
  /** By sender: the lowest price so far, and the place of the last transaction that pays it. */
  const lowest = new Map<string | undefined, { price: bigint; at: number }>()
  const ranked = transactions.map((transaction, at) => {
    // Native transactions all pay the same.
    const from = transaction.ethereum?.from
    const before = lowest.get(from)
    const price = paid(transaction)
    const rank = before && before.price < price ? before : { price, at }
    lowest.set(from, rank)
    return { transaction, rank }
  })
  return ranked
    .toSorted(({ rank: a }, { rank: b }) =>
      a.price === b.price ? a.at - b.at : a.price > b.price ? -1 : 1,
    )
    .map(({ transaction }) => transaction)
}

/** Creates an empty pool. */
export function createPool(items: readonly Pending[] = []) {
  let list: Pending[] = [...items]

  /**
   * The transactions of the next block: all but Ethereum transactions after a nonce gap, and those that offer less than the price of
   * gas, with the later ones of their senders.
   */
  function ready(state: StateReader, price = 0n): ChainTransaction[] {
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
        if (!following?.ethereum || following.ethereum.maxPrice < price) break
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
    /** Stores the result of a transaction that was executed on top of the pool. */
    tried: (id: string, applied: Applied) =>
      void (list = list.map((item) => (item.transaction.id === id ? { ...item, applied } : item))),
    keep: (wanted: (transaction: ChainTransaction) => boolean) =>
      void (list = list.filter(({ transaction }) => wanted(transaction))),
    /** The transaction of an account with a nonce. */
    withNonce: (from: string, nonce: bigint): ChainTransaction | undefined =>
      list.find(
        ({ transaction: { ethereum } }) => ethereum?.from === from && ethereum.nonce === nonce,
      )?.transaction,
    /** The nonce of an account’s next transaction, after those in the pool. */
    nonceOf(state: StateReader, from: string): bigint {
      let nonce = nonceOf(state, from)
      for (const { ethereum } of ready(state)) if (ethereum?.from === from) nonce += 1n
      return nonce
    },
  }
}
