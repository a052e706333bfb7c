import { expect, test } from 'vitest'

import { energyPriceAt, parseEnergyPrices } from './energyPrice.ts'

const history = '0:100,1542607200000:20,1544724000000:10,1606240800000:40,1613044800000:140'

test('default', () => {
  const prices = parseEnergyPrices(history)
  const at = (time: number) => energyPriceAt(prices, time)
  expect(
    [1542607100000, 1542607210000, 1544724100000, 1606240810000, 1613044810000].map(at),
  ).toEqual([100n, 20n, 10n, 40n, 140n])
})

test('behavior: a block at the time of a price still pays the price before; genesis pays the first', () => {
  const prices = parseEnergyPrices('0:100,1795261920000:210')
  const at = (time: number) => energyPriceAt(prices, time)
  expect([0, 1795261920000, 1795261920001].map(at)).toEqual([100n, 100n, 210n])
})

test('error: text in another format', () => {
  for (const text of ['', '0', '0:1,', 'a:b', '0:1;2:3'])
    expect(() => parseEnergyPrices(text)).toThrow('not readable')
})
