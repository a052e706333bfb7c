import { expect, test } from 'vitest'

import { closest } from './closest.ts'

const names = ['eth_getBalance', 'eth_getBlockByHash', 'eth_call']

test('default', () => {
  expect(closest('eth_getBlance', names)).toBe('eth_getBalance')
})

test('behavior: ignores case', () => {
  expect(closest('ETH_CALL', names)).toBe('eth_call')
})

test('behavior: undefined if no name is close or the text is too long', () => {
  expect(closest('eth_simulate', names)).toBeUndefined()
  expect(closest('e'.repeat(1_000_000), names)).toBeUndefined()
})

test('args: most', () => {
  expect(closest('eth_cllx', names, 1)).toBeUndefined()
})
