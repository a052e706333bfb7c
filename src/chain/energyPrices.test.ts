import { expect, test } from 'vitest'

import { createReplayNative } from '../../test/native.ts'
import { createNodeClient } from '../native/client.ts'
import { createEnergyPrices } from './energyPrices.ts'

test('default', async () => {
  const { native } = await createReplayNative()
  const prices = createEnergyPrices({ native })
  expect(
    await Promise.all([0, 1795261920000, 1795261920001].map((time) => prices.at(time))),
  ).toEqual([100n, 100n, 210n])
})

/** A node whose price changes at each maintenance. */
function changing() {
  let maintenance = 1_000
  let calls = 0
  const answers = (path: string) =>
    path.endsWith('getnextmaintenancetime')
      ? { num: maintenance }
      : {
          prices: Array.from(
            { length: maintenance / 1_000 },
            (_, n) => `${n * 1_000}:${n + 1}`,
          ).join(),
        }
  const native = createNodeClient({
    transport: {
      async send(path) {
        calls += 1
        return { status: 200, text: JSON.stringify(answers(path)) }
      },
      async close() {},
    },
  })
  return {
    calls: () => calls,
    maintain: () => (maintenance += 1_000),
    prices: createEnergyPrices({ native }),
  }
}

test('behavior: one read until the next maintenance', async () => {
  const { calls, maintain, prices } = changing()
  expect([await prices.at(1), await prices.at(999), await prices.at(0)]).toEqual([1n, 1n, 1n])
  expect(calls()).toBe(2)
  maintain()
  expect([await prices.at(1_000), await prices.at(1_001), await prices.at(1_999)]).toEqual([
    1n,
    2n,
    2n,
  ])
  expect(calls()).toBe(4)
})

test('behavior: a later block causes another read from a node that lags', async () => {
  const { maintain, prices } = changing()
  expect(await prices.at(1_500)).toBe(1n)
  maintain()
  expect(await prices.at(1_501)).toBe(2n)
})

test('error: a history in another format', async () => {
  const { native } = await createReplayNative({
    intercept: ({ path }) =>
      path.endsWith('getenergyprices') ? { text: '{"prices":"soon"}' } : undefined,
  })
  await expect(createEnergyPrices({ native }).at(0)).rejects.toMatchObject({ code: -32603 })
})
