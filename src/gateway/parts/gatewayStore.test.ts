import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, expect, test } from 'vitest'

import { startGateway, type TestGateway } from '../../../test/support/gateway.ts'
import { blockCalls, heights, recordedBlock } from '../../../test/support/recordedBlock.ts'
import { until } from '../../../test/support/until.ts'
import type { ChainUpdate } from '../../chain/head/headTypes.ts'
import { createConfig } from '../../config/config.ts'
import type { Health } from '../../http/health.ts'
import type { BlockSource } from '../../logIndex/blocks/throughStore.ts'
import { openBlockWriter } from '../../logIndex/blocks/writer.ts'
import type { NativeClient } from '../../native/client.ts'
import { createGatewayStore, storeOf } from './gatewayStore.ts'

const root = mkdtempSync(join(tmpdir(), 'ethgate-store-'))
afterAll(() => rmSync(root, { recursive: true }))

/** Waits until a condition is true. */
const holds = (check: () => boolean | Promise<boolean>) =>
  until(async () => expect(await check()).toBe(true))

let count = 0
const somewhere = () => join(root, String(count++))

const up = (gateway: TestGateway) => holds(async () => stateOf(await metricsOf(gateway)).up === 1)
const metricsOf = async ({ url }: TestGateway) => (await fetch(`${url}/metrics`)).text()
const valueOf = (text: string, name: string) =>
  Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
const stateOf = (text: string) => ({
  blocks: valueOf(text, 'ethgate_store_blocks'),
  up: valueOf(text, 'ethgate_store_up'),
})

/** Reads of blocks and transactions that reached the node. */
const READS =
  /\/(getblockby(num|id|limitnext)|gettransactioninfobyblocknum|gettransaction(info)?byid)/
const readsOf = ({ node }: TestGateway) => node.requests.paths().filter((path) => READS.test(path))

/** Blocks with and without transactions, too few in order for reading ahead. */
const numbers = heights.filter((number) => number > 0 && number % 8 < 2 && number < 200)

async function answersOf(gateway: TestGateway) {
  const calls = numbers.flatMap(blockCalls)
  return Promise.all(calls.map(([method, params]) => gateway.rpc(method, ...params)))
}

test('default: a process that has read nothing answers blocks, receipts and transactions without the node', async () => {
  const config = { store: somewhere() }
  const first = await startGateway({ config })
  await up(first)
  const expected = await answersOf(first)
  await first.close()

  const second = await startGateway({ config })
  await up(second)
  await second.rpc('eth_gasPrice')
  const before = readsOf(second).length
  expect(await answersOf(second)).toEqual(expected)
  expect(readsOf(second).slice(before)).toEqual([])
  const health = (await (await fetch(`${second.url}/health`)).json()) as Health
  // With the newest block, which the head read.
  expect(health.store).toMatchObject({ state: 'up', blocks: numbers.length + 1 })
})

test('behavior: processes with one store read what one has read', async () => {
  const config = { store: somewhere() }
  const [first, second] = [await startGateway({ config }), await startGateway({ config })]
  await up(first)
  await up(second)
  const expected = await first.rpc('eth_getBlockReceipts', '0x84')
  // The newest block is stored too.
  await holds(async () => stateOf(await metricsOf(first)).blocks === 2)
  const before = readsOf(second).length
  expect(await second.rpc('eth_getBlockReceipts', '0x84')).toEqual(expected)
  expect(readsOf(second).slice(before)).toEqual([])
})

test('error: the folder has another chain', async () => {
  const config = { store: somewhere() }
  const other = await openBlockWriter({
    address: config.store,
    genesis: '11'.repeat(32),
    limit: 1e9,
    onProblem: () => {},
  })
  await other.close()
  const gateway = await startGateway({ config })
  await holds(() =>
    gateway.lines.some(({ msg }) => /store of blocks .* does not work/.test(String(msg))),
  )
  expect(await gateway.rpc('eth_getBlockByNumber', '0x84', true)).toMatchObject({
    number: '0x84',
  })
  expect(stateOf(await metricsOf(gateway)).up).toBe(0)
  const health = (await (await fetch(`${gateway.url}/health`)).json()) as Health
  expect(health).toMatchObject({ status: 'degraded', store: { state: 'failed', blocks: 0 } })
  expect(health.reasons.join()).toMatch(
    /^the store of blocks does not work, nodes answer instead: .*chain/,
  )
})

/** A store that has block 132, of a gateway whose node has block 132 with an id. */
async function setup({ id = recordedBlock(132).block.blockID } = {}) {
  const address = somewhere()
  const genesis = recordedBlock(0).block.blockID
  const writer = await openBlockWriter({ address, genesis, limit: 1e9, onProblem: () => {} })
  const { block, infos } = recordedBlock(132)
  await writer.add([
    { kind: 'block', number: 132, text: JSON.stringify(block) },
    { kind: 'outcomes', number: 132, text: JSON.stringify(infos) },
  ])
  await writer.close()
  const lines: string[] = []
  let listener: (update: ChainUpdate) => void = () => {}
  let source: BlockSource | undefined
  let wasUsed = false
  const store = createGatewayStore({
    config: createConfig({ store: address, upstream: 'http://127.0.0.1:1' }),
    head: {
      at: () => undefined,
      onUpdate: (given) => ((listener = given), () => {}),
      window: () => undefined,
    },
    identity: { chainId: 1, genesis },
    log: { warn: (line) => lines.push(line), error: (_, line) => lines.push(line) },
    native: {
      wallet: { getBlockByNum: async () => ({ ...block, blockID: id }) },
    } as unknown as NativeClient,
    use(given) {
      source = given
      wasUsed ||= given !== undefined
    },
  })
  store?.start()
  const update = (solid: number, removed: number[] = []) =>
    listener({
      added: [],
      removed: removed.map((number) => ({ number })),
      solidified: { number: solid },
    } as unknown as ChainUpdate)
  return {
    lines,
    source: () => source,
    stop: () => store?.stop(),
    update,
    wasUsed: () => wasUsed,
  }
}

test('behavior: it answers once its newest block was compared with the node, which needs a final block of that height', async () => {
  const { lines, source, stop, update } = await setup()
  update(131)
  expect(source()).toBeUndefined()
  await holds(() => {
    update(132)
    return source() !== undefined
  })
  expect(await source()?.get(132)).toBeDefined()
  expect(lines).toEqual([])
  await stop()
})

test('behavior: a node that lacks many of its blocks is logged once', async () => {
  const { lines, source, stop, update } = await setup()
  await holds(() => {
    update(20)
    return lines.length > 0
  })
  update(21)
  expect(source()).toBeUndefined()
  expect(lines).toEqual([
    'the store of blocks has final blocks up to 132, the node up to 20: the store is kept and not used until the node has them',
  ])
  await stop()
})

test('behavior: it is emptied when the node has another block there', async () => {
  const { lines, source, stop, update } = await setup({ id: '00'.repeat(32) })
  await holds(() => {
    update(132)
    return source() !== undefined
  })
  expect(await source()?.get(132)).toBeUndefined()
  expect(lines).toEqual(['the store of blocks is of a chain that was reset: it is emptied'])
  await stop()
})

test('behavior: blocks are removed when the chain goes back below its solidified block', async () => {
  const { source, stop, update } = await setup()
  await holds(() => {
    update(132)
    return source() !== undefined
  })
  update(130, [132, 131])
  expect(source()).toBeUndefined()
  await holds(() => source() !== undefined)
  expect(await source()?.get(132)).toBeUndefined()
  await stop()
})

test('args: auto needs a folder that was given', () => {
  const of = (config: object) =>
    storeOf(createConfig({ upstream: 'http://127.0.0.1:1', ...config }), 255)?.address
  expect(of({})).toBeUndefined()
  expect(of({ dataDir: '/data' })).toBe('/data/ff/blocks')
  expect(of({ dataDir: 'none' })).toBeUndefined()
  expect(of({ dataDir: '/data', store: 'off' })).toBeUndefined()
  expect(of({ store: 'postgres://db/x' })).toBe('postgres://db/x')
})
