import { expect, test } from 'vitest'

import { changedBetween, energyPriceAfter, parseEnergyPrices } from './energyPrice.ts'

const history = '0:100,1542607200000:20,1544724000000:10,1606240800000:40,1613044800000:140'

test('default', () => {
  const prices = parseEnergyPrices(history)
  const after = (time: number) => energyPriceAfter(prices, time)
  expect(
    [1542607100000, 1542607210000, 1544724100000, 1606240810000, 1613044810000].map(after),
  ).toEqual([100n, 20n, 10n, 40n, 140n])
})

test('behavior: the block after the time of a price pays it; genesis pays the first', () => {
  const prices = parseEnergyPrices('0:100,1795261920000:210')
  const after = (time: number) => energyPriceAfter(prices, time)
  expect([-1, 0, 1795261919999, 1795261920000].map(after)).toEqual([100n, 100n, 100n, 210n])
})

test('behavior: changes between two times', () => {
  const prices = parseEnergyPrices('5:100,1000:210')
  const changed = [
    [0, 10],
    [0, 1_000],
    [999, 1_001],
    [1_000, 2_000],
  ] as const
  expect(changed.map(([after, before]) => changedBetween(prices, after, before))).toEqual([
    false,
    false,
    true,
    false,
  ])
})

test('error: text in another format', () => {
  for (const text of ['', '0', '0:1,', 'a:b', '0:1;2:3'])
    expect(() => parseEnergyPrices(text)).toThrow('not readable')
})
