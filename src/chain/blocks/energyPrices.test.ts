import type { Hash } from 'viem'
import { expect, test } from 'vitest'

import { createReplayNative } from '../../../test/support/native.ts'
import { createNodeClient } from '../../native/client.ts'
import { createEnergyPrices } from './energyPrices.ts'

const CHANGE = 1_795_261_920_000

/** The hash of the block with a time. */
const hashOf = (time: number): Hash => `0x${time.toString(16).padStart(64, '0')}`

/** A block whose parent has another time. */
const block = (timestamp: number, parent: number) => ({
  hash: hashOf(timestamp),
  parentHash: hashOf(parent),
  timestamp,
})

/** A node whose price changes every hour. It has one block for each second. */
function changing() {
  let hours = 1
  let first = 1
  const calls: string[] = []
  function answer(path: string, body: string | undefined) {
    if (path.endsWith('getnextmaintenancetime')) return { num: hours * HOUR }
    if (path.endsWith('getenergyprices'))
      return { prices: Array.from({ length: hours }, (_, n) => `${n * HOUR}:${n + first}`).join() }
    const { id_or_num: id } = JSON.parse(body ?? '') as { id_or_num: string }
    const timestamp = Number(`0x${id}`)
    return timestamp % 1_000 === 0 ? { blockID: id, block_header: { raw_data: { timestamp } } } : {}
  }
  const native = createNodeClient({
    transport: {
      async send(path, body) {
        calls.push(path)
        return { status: 200, text: JSON.stringify(answer(path, body)) }
      },
      async close() {},
    },
  })
  return {
    calls: () => calls.length,
    maintain: () => (hours += 1),
    reset: () => (first = 100),
    prices: createEnergyPrices({ native }),
  }
}

const HOUR = 3_600_000

test('default', async () => {
  const { native } = await createReplayNative()
  const prices = createEnergyPrices({ native })
  const blocks = [block(0, -1), block(CHANGE, CHANGE - 3_000), block(CHANGE + 60_000, CHANGE)]
  expect(await Promise.all(blocks.map((one) => prices.of(one)))).toEqual([100n, 100n, 210n])
  expect([await prices.after(CHANGE - 1), await prices.after(CHANGE)]).toEqual([100n, 210n])
})

test('behavior: one read until the next maintenance', async () => {
  const { calls, maintain, prices } = changing()
  for (const time of [3_000, HOUR - 3_000]) expect(await prices.after(time)).toBe(1n)
  expect(await prices.of(block(HOUR - 3_000, HOUR - 6_000))).toBe(1n)
  expect(calls()).toBe(2)
  maintain()
  expect(await prices.after(HOUR)).toBe(2n)
  expect(await prices.of(block(HOUR, HOUR - 3_000))).toBe(1n)
  expect(await prices.of(block(HOUR + 60_000, HOUR + 57_000))).toBe(2n)
  expect(calls()).toBe(4)
})

test('behavior: another branch of the chain may have other prices', async () => {
  const { prices, reset } = changing()
  expect(await prices.after(3_000)).toBe(1n)
  reset()
  prices.forget()
  expect(await prices.after(3_000)).toBe(100n)
})

test('behavior: a later block causes another read from a node that lags', async () => {
  const { maintain, prices } = changing()
  expect(await prices.after(HOUR)).toBe(1n)
  maintain()
  expect(await prices.after(HOUR + 1)).toBe(2n)
})

test('behavior: without a block at the time of a change, the first block after it pays the price before', async () => {
  const { calls, maintain, prices } = changing()
  maintain()
  expect(await prices.of(block(HOUR + 6_000, HOUR - 3_000))).toBe(1n)
  expect(await prices.of(block(HOUR + 9_000, HOUR + 6_000))).toBe(2n)
  // The history, and one parent. The other one was priced before.
  expect(calls()).toBe(3)
  expect(await prices.of(block(HOUR + 30_000, HOUR + 27_000))).toBe(2n)
  expect(calls()).toBe(4)
})

test('error: the node does not have the block before', async () => {
  const { maintain, prices } = changing()
  maintain()
  await expect(prices.of(block(HOUR + 6_000, HOUR - 3_001))).rejects.toMatchObject({
    code: -32603,
  })
})

test('error: a history in another format', async () => {
  const { native } = await createReplayNative({
    intercept: ({ path }) =>
      path.endsWith('getenergyprices') ? { text: '{"prices":"soon"}' } : undefined,
  })
  await expect(createEnergyPrices({ native }).after(0)).rejects.toMatchObject({ code: -32603 })
})
