import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { type DevGateway, startDevGateway, startFileDevGateway } from '../support/devGateway.ts'

const dev = await startFileDevGateway()

/** Runtime code that returns its time less the one in slot 0, and stores its time there. */
const CLOCK = '0x5f544203805f52425f5560205ff3'
const CONTRACT = `0x${'c1'.repeat(20)}`

const BEYOND = ['0x7fffffffffffffff', '9223372036854775808', `0x${'f'.repeat(64)}`]

test.each(BEYOND)('error: a time of %s seconds is refused, and blocks follow', async (seconds) => {
  for (const method of [
    'evm_increaseTime',
    'evm_setNextBlockTimestamp',
    'evm_setTime',
    'anvil_setBlockTimestampInterval',
    'evm_mine',
  ])
    await expect(dev.rpc(method, seconds)).rejects.toMatchObject({ code: -32000 })
  await expect(dev.rpc('anvil_mine', '0x5', seconds)).rejects.toMatchObject({ code: -32602 })
  const before = Number(await dev.rpc('eth_blockNumber'))
  await dev.rpc('evm_mine')
  expect(Number(await dev.rpc('eth_blockNumber'))).toBe(before + 1)
})

test('error: numbers that the chain cannot keep exactly', async () => {
  const call = { to: CONTRACT, data: '0x' }
  for (const change of [{ time: '0x7fffffffffffffff' }, { number: '0x20000000000000' }])
    await expect(dev.rpc('eth_call', call, 'latest', null, change)).rejects.toMatchObject({
      code: -32602,
    })
  const calls = [{ blockOverrides: { time: '0xffffffffffffffff' }, calls: [] }]
  await expect(dev.rpc('eth_simulateV1', { blockStateCalls: calls })).rejects.toMatchObject({
    code: -32602,
  })
  for (const [method, ...params] of [
    ['anvil_setNonce', CONTRACT, '0x20000000000000'],
    ['anvil_setBalance', CONTRACT, '9'.repeat(100_000)],
    ['evm_reorg', { depth: 1, blocks: '0xffffffffffff' }],
  ] as const)
    await expect(dev.rpc(method, ...params)).rejects.toMatchObject({ code: -32602 })
})

test('behavior: with transactions waiting, estimates, calls, the pending block and the block have one time', async () => {
  for (const profile of ['ethereum', 'native'] as const) {
    const chain = await startDevGateway({ mining: { automine: false }, rules: { profile } })
    const rpc = (method: string, ...params: unknown[]) => chain.rpc(method, ...params)
    await rpc('anvil_setCode', CONTRACT, CLOCK)
    await rpc('evm_increaseTime', 1_000)
    await rpc('evm_mine')
    const from = chain.accountOf(0)
    await rpc('eth_sendTransaction', { from, to: CONTRACT, gas: '0x30000' })
    const time = async (block: string) => {
      const found = (await rpc('eth_getBlockByNumber', block, false)) as { timestamp: string }
      return Number(found.timestamp)
    }
    for (const moved of [0, 86_400]) {
      await rpc('evm_increaseTime', moved)
      const before = await time('pending')
      // Zero: the transaction that waits has run at the time of the call.
      expect(BigInt((await rpc('eth_call', { from, to: CONTRACT }, 'pending')) as string)).toBe(0n)
      const stored = Number(await rpc('eth_getStorageAt', CONTRACT, '0x0', 'pending'))
      expect(stored).toBeGreaterThanOrEqual(before)
      expect(stored).toBeLessThanOrEqual(await time('pending'))
    }
    await rpc('evm_mine')
    expect(await time('latest')).toBe(
      Number(await rpc('eth_getStorageAt', CONTRACT, '0x0', 'latest')),
    )
    await chain.close()
  }
})

const timeOf = async ({ rpc }: Pick<DevGateway, 'rpc'>, block: string) =>
  Number(((await rpc('eth_getBlockByNumber', block, false)) as { timestamp: string }).timestamp)

test.each(['evm_setTime', 'anvil_setTime'])(
  'error: %s into the past names both times; later times before the clock are possible',
  async (method) => {
    await dev.rpc('evm_mine')
    const newest = await timeOf(dev, 'latest')
    await expect(dev.rpc(method, newest - 100)).rejects.toMatchObject({
      code: -32000,
      message: `the time ${newest - 100} is before ${newest}, the time of the newest block; no block is earlier than the one before it`,
    })
    await dev.rpc('evm_increaseTime', 1_000)
    expect(await dev.rpc(method, newest + 7)).toBe(0)
    await dev.rpc('evm_mine')
    expect(await timeOf(dev, 'latest')).toBe(newest + 7)
  },
)

const START = Date.parse('2019-03-06T00:00:00Z')

test.each([{}, { decimals: 18 }, { profile: 'native' }, { seed: 'a' }] as const)(
  'args: a chain starts at a chosen time, with %o',
  async (options) => {
    const chain = await startDevGateway({ ...options, time: { timestamp: START } })
    for (let block = 0; block < 3; block++) {
      const time = await timeOf(chain, 'latest')
      expect(time).toBeGreaterThanOrEqual(START / 1_000)
      expect(time).toBeLessThan(START / 1_000 + 60)
      await chain.rpc('evm_mine')
    }
    expect(await chain.rpc('evm_setTime', START / 1_000 + 100)).toBeLessThan(101)
    await chain.close()
  },
)

test('args: a stored chain with a chosen start goes on from its newest block', async () => {
  const state = join(mkdtempSync(join(tmpdir(), 'ethgate-time-')), 'chain.jsonl')
  const first = await startDevGateway({
    rules: { decimals: 18 },
    state,
    time: { timestamp: START },
  })
  await first.rpc('evm_increaseTime', 86_400)
  await first.rpc('evm_mine')
  const newest = await timeOf(first, 'latest')
  await first.close()
  const second = await startDevGateway({
    rules: { decimals: 18 },
    state,
    time: { timestamp: START },
  })
  await second.rpc('evm_mine')
  expect((await timeOf(second, 'latest')) - newest).toBeLessThan(60)
  await second.close()
})
