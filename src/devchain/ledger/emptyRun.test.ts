import { describe, expect, test } from 'vitest'

import { createDevChain, type DevChain } from '../devChain.ts'
import type { Overlay } from '../state/state.ts'

const HOUR = 3_600_000

/** More than the blocks of one request that are all stored. */
const COUNT = 3_000

const open = async (options: createDevChain.Options = {}) => {
  const chain = await createDevChain({
    ...options,
    mining: { blockTime: 0 },
    time: { seed: 'runs' },
  })
  await chain.start()
  return chain
}

/** The values that blocks change without transactions: those of producers, proposals and the maintenance. */
const countersOf = ({ ledger }: DevChain) =>
  [...new Map(ledger.dump(6).changes.flatMap(({ changes }) => changes))]
    .filter(([name, value]) => value !== undefined && !name.startsWith('account:'))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))

/** The same blocks twice: one by one, and with runs. Neither has a transaction. */
async function both(
  interval: number,
  options: createDevChain.Options = {},
  change: (state: Overlay, chain: DevChain) => void = () => {},
) {
  const chains = [await open(options), await open(options)] as const
  for (const chain of chains) await chain.patch((state) => change(state, chain))
  const [stored, run] = chains
  for (let made = 0; made < COUNT; made += 1_000) {
    if (made > 0) {
      const step = interval > 0 ? interval : stored.clock.spacing()
      stored.clock.setNext(stored.ledger.head().header.timestamp + step)
    }
    await stored.mineMany(1_000, interval)
  }
  await run.mineMany(COUNT, interval)
  expect(stored.ledger.nextRun(0)).toBeUndefined()
  expect(run.ledger.nextRun(0)).toBeDefined()
  return { run, stored }
}

describe('a run changes the state as its blocks would one by one', () => {
  test.each([
    ['the pace of the clock', 0],
    ['12 seconds', 12_000],
    ['5 hours', 5 * HOUR],
    ['the time of a maintenance', 6 * HOUR],
    ['19 hours', 19 * HOUR],
  ])('default: blocks with %s between them', async (_, interval) => {
    const { run, stored } = await both(interval)
    expect(countersOf(run)).toEqual(countersOf(stored))
    expect(run.ledger.solid().header.number).toBe(stored.ledger.solid().header.number)
    for (let number = 0; number <= run.ledger.head().header.number; number++) {
      const { header, seen } = run.ledger.block(number) ?? {}
      const { header: wanted, seen: other } = stored.ledger.block(number) ?? {}
      expect({ ...header, seen }).toEqual({
        ...wanted,
        seen: other,
        parentHash: header?.parentHash,
      })
      expect(header?.parentHash).toBe(run.ledger.block(number - 1)?.id ?? '00'.repeat(32))
    }
  })

  test('default: an EIP-1559 chain, with one producer', async () => {
    const { run, stored } = await both(1_000, { rules: { decimals: 18, producers: 1 } })
    expect(countersOf(run)).toEqual(countersOf(stored))
    const feeOf = (chain: DevChain, number: number) => chain.ledger.block(number)?.seen?.baseFee
    for (let number = 0; number <= COUNT; number++)
      expect(feeOf(run, number)).toBe(feeOf(stored, number))
  })

  test.each([12_000, HOUR, 7 * HOUR])(
    'behavior: votes and proposals that wait for a maintenance, with %i ms between blocks',
    async (interval) => {
      const { run, stored } = await both(interval, {}, (state, { ledger }) => {
        const [voted, other] = state.get('list', 'witnesses') ?? []
        state.set('property', `votes:${voted}`, 1_000_000n)
        state.set('property', 'proposals', 1n)
        state.set('proposal', '1', {
          id: 1,
          proposer: voted,
          // The pay of a producer.
          parameters: [{ key: 5n, value: 7_000_000n }],
          created: ledger.head().header.timestamp,
          expires: ledger.head().header.timestamp + 8 * HOUR,
          approvals: state.get('list', 'witnesses') ?? [other],
          state: 'PENDING',
        } as never)
      })
      expect(run.ledger.newestState().get('proposal', '1')?.state).toBe(
        stored.ledger.newestState().get('proposal', '1')?.state,
      )
      expect(countersOf(run)).toEqual(countersOf(stored))
    },
  )
})

test('behavior: a signature of a block in a run is that of its header', async () => {
  const chain = await open()
  await chain.mineMany(COUNT)
  const ask = async (num: number) => {
    const { text } = await chain.transport.send('/wallet/getblockbynum', JSON.stringify({ num }), {
      idempotent: true,
    })
    return JSON.parse(text) as { block_header: { witness_signature: string } }
  }
  expect((await ask(1_500)).block_header.witness_signature).toMatch(/^[\da-f]{130}$/)
  expect(chain.ledger.block(1_500)?.signature).not.toBe(chain.ledger.block(1_501)?.signature)
})
