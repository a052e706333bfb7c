import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import { createSimulator } from '../../src/devchain/simulator/simulator.ts'
import { nativePrice } from '../../src/limits/prices.ts'
import { createScriptedChain } from '../support/chain.ts'
import { startDevGateway } from '../support/devGateway.ts'
import { startGateway } from '../support/gateway.ts'
import { startGrpcNode } from '../support/grpcNode.ts'
import { CHAIN } from '../support/recordedChain.ts'
import { until } from '../support/until.ts'

/** The compiled gateway, whose log index and simulator run in threads. */
const ACCOUNT = `0x${'ab'.repeat(20)}`

/** The units of a call, without those of any call and of the bytes of its answer. */
async function costOf(url: string, method: string, ...params: unknown[]): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    headers: { 'x-ethgate-explain': '1' },
  })
  const text = await response.text()
  expect(text).toContain('"result"')
  return Number(response.headers.get('x-ethgate-cost')) - 0.05 - text.length / 2 ** 20
}

const range = (to: number) => ({ fromBlock: '0x1', toBlock: `0x${to.toString(16)}` })

test('behavior: a search costs the same over gRPC as over HTTP', async () => {
  const grpc = await startGrpcNode()
  const start = (config: Partial<Config>) =>
    startGateway({ config: { cacheBytes: 0, upstreamRpc: '', ...config } })
  const [overGrpc, overHttp] = [await start({ upstreamGrpc: grpc.url }), await start({})]
  onTestFinished(async () => {
    await Promise.all([overGrpc.close(), overHttp.close()])
    await grpc.close()
  })
  const search = range(CHAIN.head - 60)
  const cost = await costOf(overHttp.url, 'eth_getLogs', search)
  expect(cost).toBeGreaterThan(20)
  expect(await costOf(overGrpc.url, 'eth_getLogs', search)).toBeCloseTo(cost, 2)
  expect(grpc.calls()).toContain('GetBlockByLimitNext')
  expect(nativePrice('/protocol.Wallet/GetBlockByLimitNext')).toBe(5)
})

test('behavior: a search by hints costs what the node did for it', async () => {
  // The node says that no block has such a log.
  const replay = await startGateway({
    intercept: ({ body, path }) =>
      path === '/jsonrpc' && body.includes('eth_getLogs')
        ? {
            text: JSON.stringify({
              jsonrpc: '2.0',
              id: (JSON.parse(body) as { id: unknown }).id,
              result: [],
            }),
          }
        : undefined,
  })
  const { node, url } = replay
  const address = '0x0000000000000000000000000000000000000001'
  const cost = await costOf(url, 'eth_getLogs', { ...range(CHAIN.head - 60), address })
  expect(node.requests.count('/wallet/gettransactioninfobyblocknum')).toBe(0)
  expect(cost).toBeCloseTo(2, 2)
})

test('behavior: a search of the log index costs what it read there', async () => {
  const chain = createScriptedChain()
  for (let block = 0; block < 1_500; block++)
    chain.mine({ logs: [[{ address: 'aa'.repeat(20), topics: ['bb'.repeat(32)] }]] })
  chain.solidify(1_400)
  const served = await chain.listen()
  const upstream = served.url
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-cost-'))
  onTestFinished(async () => {
    await served.close()
    rmSync(folder, { recursive: true })
  })
  const { gateway, url } = await startGateway({
    compiled: true,
    config: { index: folder, indexFrom: 0, upstream },
  })
  await until(() => {
    const index = gateway.health().index
    expect(index?.covered[0]?.to ?? 0).toBeGreaterThan(1_200)
  })
  const search = (to: number) =>
    costOf(url, 'eth_getLogs', { ...range(to), address: `0x${'aa'.repeat(20)}` })
  const [few, many] = [await search(100), await search(1_200)]
  // At least one page and one list, and a page for each block that has a log.
  expect(few).toBeGreaterThan(0.5)
  expect(many).toBeGreaterThan(8 * few)
})

test('behavior: a simulation costs the calls and the time that it took', async () => {
  const node = await startDevGateway({ rules: { profile: 'native' }, mining: { blockTime: 0 } })
  await node.rpc('evm_mine')
  onTestFinished(() => node.close())
  const { url } = await startGateway({
    config: { simulate: 'on', upstream: node.url, upstreamRpc: node.url },
    // A busy machine may take its time, the first time to load the EVM.
    host: { createSimulator: (options) => createSimulator({ ...options, stuck: 3e5, time: 3e5 }) },
  })
  // A loop of 10,000 rounds in creation code: PUSH2 count, JUMPDEST, decrement, jump while it is not zero.
  const call = { from: ACCOUNT, data: '0x6127105b600190038060035700' }
  const override = { [ACCOUNT]: { balance: '0x7b' } }
  const short = await costOf(url, 'eth_call', { from: ACCOUNT, to: ACCOUNT }, 'latest', override)
  // It reads accounts from the node.
  expect(short).toBeGreaterThan(1)
  const long = await costOf(url, 'eth_call', call, 'latest', override)
  expect(long).toBeGreaterThan(1)
})
