import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'

import { expect, test } from 'vitest'

import { createDevChain } from '../../src/devchain/index.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'

const WHO = `0x${'d0'.repeat(20)}`
/** Runtime code that counts in slot 0 and emits the count in an anonymous log. */
const COUNTER = '0x5f54600101805f555f5260205fa000'
const CONTRACT = `0x${'c0'.repeat(20)}`

/** A chain with transactions, logs, changes of tools, an undone block and blocks that were mined at once. */
async function liveOn(dev: DevGateway): Promise<void> {
  const from = dev.accountOf(0)
  await dev.rpc('anvil_setCode', CONTRACT, COUNTER)
  await dev.rpc('eth_sendTransaction', { from, to: CONTRACT })
  const id = await dev.rpc('evm_snapshot')
  await dev.rpc('eth_sendTransaction', { from, to: WHO, value: '0x9' })
  await dev.rpc('evm_revert', id)
  await dev.rpc('eth_sendTransaction', { from, to: CONTRACT })
  await dev.rpc('hardhat_mine', '0x1000')
  await dev.rpc('anvil_setBalance', WHO, '0x5')
  await dev.rpc('eth_sendTransaction', { from, to: WHO, value: '0x1' })
  // Fails, so a record of a failure is there too.
  await dev.rpc('anvil_setCode', WHO, '0x5f5ffd')
  await dev.rpc('eth_sendTransaction', { from, to: WHO, gas: '0x30000' }).catch(() => undefined)
}

/** What clients see of a chain: blocks, receipts, logs, and the state at several heights. */
async function seen({ rpc }: Pick<DevGateway, 'rpc'>, heights: number[]): Promise<unknown> {
  const logs = { fromBlock: '0x0', toBlock: `0x${Math.max(...heights).toString(16)}` }
  return {
    logs: await rpc('eth_getLogs', logs),
    heights: await Promise.all(
      heights.map(async (height) => {
        const block = `0x${height.toString(16)}`
        return [
          await rpc('eth_getBlockByNumber', block, true),
          await rpc('eth_getBlockReceipts', block),
          await rpc('eth_getBalance', WHO, block),
          await rpc('eth_getStorageAt', CONTRACT, '0x0', block),
          await rpc('debug_traceBlockByNumber', block, { tracer: 'callTracer' }).catch(String),
        ]
      }),
    ),
  }
}

const heightOf = async (dev: DevGateway) => Number(await dev.rpc('eth_blockNumber'))

async function dumped(options: createDevChain.Options = {}) {
  const dev = await startDevGateway(options)
  await liveOn(dev)
  const top = await heightOf(dev)
  const heights = [1, 2, 3, 4, 100, 4_000, top - 2, top - 1, top]
  const result = { dump: await dev.rpc('anvil_dumpState'), heights, was: await seen(dev, heights) }
  await dev.close()
  return result
}

test.each([
  ['with 6 decimals', {}, {}],
  ['with 18 decimals', { rules: { decimals: 18 } }, {}],
  [
    'on a chain with other accounts',
    {},
    { accounts: { count: 3, derivationPath: "m/44'/195'/0'/0" } },
  ],
  ['with a seed', { time: { seed: 'x' } }, { time: { seed: 'x' } }],
] as const)('default: %s, the dumped chain is there again and goes on', async (_, made, other) => {
  const { dump, heights, was } = await dumped(made)
  const dev = await startDevGateway({ ...made, ...other })
  // Something that the gateway has seen before.
  await dev.rpc('eth_sendTransaction', { from: dev.accountOf(1), to: WHO, value: '0x2' })
  await seen(dev, [0, 1])
  const gone = await dev.rpc('evm_snapshot')
  expect(await dev.rpc('anvil_loadState', dump)).toBe(true)
  const top = Math.max(...heights)
  expect(await heightOf(dev)).toBe(top)
  expect(await seen(dev, heights)).toEqual(was)
  expect(await dev.rpc('evm_revert', gone)).toBe(false)
  const to = `0x${'77'.repeat(20)}`
  const hash = await dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to, value: '0x3' })
  expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
    blockNumber: `0x${(top + 1).toString(16)}`,
    status: '0x1',
  })
  for (let more = 0; more < 4; more++) await dev.rpc('evm_mine')
  const solid = (await dev.rpc('eth_getBlockByNumber', 'finalized', false)) as { number: string }
  expect(Number(solid.number)).toBeGreaterThan(top)
  await dev.close()
})

test('behavior: a state file has the loaded chain after a restart, and a reset goes back to the start', async () => {
  const { dump, heights, was } = await dumped()
  const state = join(mkdtempSync(join(tmpdir(), 'ethgate-dump-')), 'chain.jsonl')
  const first = await startDevGateway({ state })
  await first.rpc('anvil_loadState', dump)
  await first.rpc('evm_mine')
  await first.close()
  const second = await startDevGateway({ state })
  expect(await heightOf(second)).toBe(Math.max(...heights) + 1)
  expect(await seen(second, heights)).toEqual(was)
  await second.rpc('anvil_loadState', dump)
  await second.rpc('evm_mine')
  await second.rpc('evm_mine')
  await second.rpc('anvil_reset')
  expect(await heightOf(second)).toBe(Math.max(...heights) + 1)
  await second.close()
  const third = await startDevGateway({ state })
  expect(await heightOf(third)).toBe(Math.max(...heights) + 1)
  expect(await seen(third, heights)).toEqual(was)
  await third.close()
})

test('behavior: other producers make the next blocks; error: blocks that were mined at once by others', async () => {
  const maker = await createDevChain({ rules: { producers: 3 }, time: { seed: 'y' } })
  await maker.start()
  await maker.mineMany(5)
  const dev = await startDevGateway()
  const load = (dump: Uint8Array) =>
    dev.rpc('anvil_loadState', `0x${Buffer.from(dump).toString('hex')}`)
  await load(maker.dumpState())
  expect(await heightOf(dev)).toBe(6)
  await dev.rpc('anvil_mine', '0x8')
  expect(await heightOf(dev)).toBe(14)
  await maker.mineMany(5_000)
  await expect(load(maker.dumpState())).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('--producers'),
  })
  expect(await heightOf(dev)).toBe(14)
  await dev.close()
})

test('error: a state with other decimals; behavior: one of an earlier release adds its accounts', async () => {
  const wei = await createDevChain({ rules: { decimals: 18 } })
  const dev = await startDevGateway()
  const dump = `0x${Buffer.from(wei.dumpState()).toString('hex')}`
  await expect(dev.rpc('anvil_loadState', dump)).rejects.toMatchObject({
    code: -32602,
    message: 'amounts of this state have 18 decimals, and those of this chain 6',
  })
  const slot = `storage:41${CONTRACT.slice(2)}:${'0'.repeat(64)}`
  const early = gzipSync(JSON.stringify({ ethgate: 1, state: [[slot, '7']] }))
  await dev.rpc('evm_mine')
  await dev.rpc('anvil_loadState', `0x${early.toString('hex')}`)
  expect(await heightOf(dev)).toBe(2)
  await dev.close()
})
