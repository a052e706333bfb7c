import { describe, expect, test } from 'vitest'

import { newAccount, type Usage } from './model.ts'
import { setParameters } from './parameters.ts'
import { COIN, consume, consumeFree, recovered, slotOf, stakeLimit } from './resources.ts'
import { createHistory, createOverlay } from './state.ts'

const FULL = 28_800_000n
const fresh: Usage = { used: 0n, time: 0n, window: FULL }

function stateWith(parameters: Record<string, bigint> = {}) {
  const state = createOverlay(createHistory())
  setParameters(state, parameters)
  return state
}

describe('recovered', () => {
  test('default: a use recovers linearly over a day', () => {
    const usage = { used: 1_000n, time: 1_000n, window: FULL }
    const at = (slots: bigint) => recovered(usage, 1_000n + slots)
    expect([at(0n), at(7_200n), at(14_400n), at(28_799n), at(28_800n)]).toEqual([
      1_000n,
      750n,
      500n,
      0n,
      0n,
    ])
  })
})

describe('consume', () => {
  test('default: the first use takes the full window', () => {
    expect(consume(stateWith(), fresh, 265n, 5n)).toEqual({ used: 265n, time: 5n, window: FULL })
  })

  test('behavior: the window is the weighted average of the remaining use and the new one', () => {
    const first = consume(stateWith(), fresh, 1_000n, 0n)
    const second = consume(stateWith(), first, 1_000n, 14_400n)
    expect(second).toEqual({ used: 1_500n, time: 14_400n, window: 24_000_000n })
  })

  test('behavior: before the finer rule windows are whole slots', () => {
    const state = stateWith({ getAllowCancelAllUnfreezeV2: 0n })
    const first = consume(state, fresh, 1_000n, 0n)
    const { window } = consume(state, first, 333n, 7n)
    expect(window % 1_000n).toBe(0n)
  })
})

test('consumeFree: recovers over a day after any use', () => {
  const first = consumeFree(fresh, 300n, 100n)
  expect(consumeFree(first, 200n, 14_500n)).toEqual({ used: 350n, time: 14_500n, window: FULL })
})

test('stakeLimit: the share of all stakes', () => {
  const state = stateWith({ getTotalEnergyCurrentLimit: 1_000n })
  state.set('property', 'totalEnergyWeight', 4n)
  const account = newAccount(`41${'11'.repeat(20)}`, 'Normal', 1)
  const frozen = { ...account.frozen, ENERGY: COIN }
  expect(stakeLimit(state, { ...account, frozen }, 'ENERGY')).toBe(250n)
  expect(stakeLimit(state, account, 'ENERGY')).toBe(0n)
})

test('slotOf: three seconds each', () => {
  expect([slotOf(0), slotOf(2_999), slotOf(3_000)]).toEqual([0n, 0n, 1n])
})
