import { describe, expect, test } from 'vitest'

import { createReplayNative } from '../../../test/support/native.ts'
import { recordedNative } from '../../../test/support/node.ts'
import { artifacts, keys, labels } from '../../../test/support/recordedChain.ts'
import type { NativeClient } from '../../native/client.ts'
import { balanceAt } from './balance.ts'
import { codeAt } from './code.ts'
import type { StateRead } from './stateRead.ts'

const KITCHEN = `0x${labels.contracts.Kitchen.address.slice(2)}` as const
const DEAD = `0x${labels.contracts['Child payable'].address.slice(2)}` as const
const CODE = `0x${artifacts.Kitchen.runtime.replace('0x', '')}`
/** The account whose balance in genesis is −2^63. */
const BURN = '0x50b0c2b3bcad53eb45b57c4e5df8a9890d002cc8'
const NOBODY = `0x${'11'.repeat(20)}` as const

test.each(['latest', 'solid'] as const)('codeAt: %s', async (at) => {
  const { native } = await createReplayNative()
  const state = { native, source: { at } }
  expect(await codeAt(KITCHEN, state)).toBe(CODE)
  expect(await codeAt(keys.bob.eth, state)).toBe('0x')
  expect(await codeAt(DEAD, state)).toBe('0x')
})

describe('balanceAt', () => {
  test.each(['latest', 'solid'] as const)('args: %s', async (at) => {
    const { native } = await createReplayNative()
    const state = { native, source: { at } }
    expect(await balanceAt(keys.rich.eth, state)).toBe(24_771_785_999_700_002n)
    expect(await balanceAt(NOBODY, state)).toBe(0n)
  })

  test('args: a past block', async () => {
    const { native } = await createReplayNative()
    expect(await balanceAt(keys.rich.eth, past(native, 1))).toBe(25_000_000_000_000_000n)
    expect(await balanceAt(keys.alice.eth, past(native, 1))).toBe(0n)
    expect(await balanceAt(keys.alice.eth, past(native, 223))).toBe(19_797_579_273_724n)
  })

  test('behavior: a negative balance becomes zero', async () => {
    const { native } = await createReplayNative()
    expect(await balanceAt(BURN, { native, source: { at: 'latest' } })).toBe(0n)
    expect(await balanceAt(BURN, past(native, 1))).toBe(0n)
  })

  // A node without history answers zero for every account, and an error for every block.
  test('error: a node without history', async () => {
    const { native } = await createReplayNative({
      intercept({ path, body }) {
        const { block_identifier } = JSON.parse(body) as { block_identifier?: unknown }
        if (path === '/wallet/getaccountbalance')
          return { text: JSON.stringify({ balance: 0, block_identifier }) }
        if (path === '/wallet/getblockbalance')
          return {
            text: '{"Error":"class org.example.ItemNotFoundException : This block does not exist"}',
          }
        return undefined
      },
    })
    await expect(balanceAt(keys.rich.eth, past(native, 7))).rejects.toMatchObject({
      code: -32000,
      message: 'historical state of block 7 is not available',
    })
  })

  test('error: a node that does not serve the query', async () => {
    const { native } = await createReplayNative({
      intercept: () => ({ status: 404, text: '{"Error":"this API is unavailable due to config"}' }),
    })
    await expect(balanceAt(keys.rich.eth, past(native, 7))).rejects.toMatchObject({
      code: -32000,
      message: 'historical state of block 7 is not available',
    })
  })

  test('error: a failing node is not reported as missing history', async () => {
    const { native } = await createReplayNative({ intercept: () => ({ status: 502, text: '' }) })
    await expect(balanceAt(keys.rich.eth, past(native, 7))).rejects.toMatchObject({ code: -32603 })
  })
})

function past(native: NativeClient, number: number): StateRead {
  const { blockID } = JSON.parse(recordedNative('/wallet/getblockbynum', { num: number })) as {
    blockID: string
  }
  return { native, source: { at: 'historic', block: { number, hash: `0x${blockID}` } } }
}
