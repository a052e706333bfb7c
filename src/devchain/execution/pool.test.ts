import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { ChainTransaction } from '../transactions/transaction.ts'
import { bestFirst } from './pool.ts'

type Sent = { from: string; price: bigint }

/** Takes the best of the first transactions of all senders, again and again. */
function oneByOne(sent: readonly Sent[]): Sent[] {
  const left = [...sent]
  return sent.map(() => {
    const firsts = left.filter(({ from }, at) => left.findIndex((one) => one.from === from) === at)
    const best = firsts.reduce((best, one) => (one.price > best.price ? one : best))
    left.splice(left.indexOf(best), 1)
    return best
  })
}

test('behavior: as if the best first transaction of a sender were taken again and again', () => {
  const sent = fc.record({ from: fc.constantFrom('a', 'b', 'c'), price: fc.bigInt(0n, 4n) })
  fc.assert(
    fc.property(fc.array(sent, { maxLength: 12 }), (pool) => {
      const prices = new Map<unknown, Sent>()
      const transactions = pool.map((one) => {
        const transaction = { ethereum: { from: one.from } } as ChainTransaction
        prices.set(transaction, one)
        return transaction
      })
      const ordered = bestFirst(transactions, (one) => prices.get(one)?.price ?? 0n)
      expect(ordered.map((one) => prices.get(one))).toEqual(oneByOne(pool))
    }),
  )
})
