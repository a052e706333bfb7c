import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { post } from '../../../test/support/client.ts'
import { type FaultProxy, startFaultProxy } from '../../../test/support/faultProxy.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { startReplayNode } from '../../../test/support/node.ts'
import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { labels } from '../../../test/support/recordedChain.ts'
import { until } from '../../../test/support/until.ts'
import { targetOf } from '../../../test/support/upstreams.ts'
import { createConfig } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import { createNodeClient } from '../../native/client.ts'
import type { Upstream } from '../../native/upstream.ts'
import { silentLog } from '../log.ts'
import { connectUpstreams } from './connectUpstreams.ts'
import { createTelemetry } from './telemetry.ts'

/** A gateway of two nodes. */
async function start() {
  const chain = createScriptedChain()
  for (let block = 0; block < 5; block++) chain.mine()
  chain.solidify(4)
  const nodes = [await startFaultProxy(targetOf(chain)), await startFaultProxy(targetOf(chain))]
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()))
  })
  const { gateway, url } = await startGateway({
    config: { upstream: nodes.map((node) => node.url).join(' ') },
  })
  let salt = 0
  return {
    gateway,
    nodes,
    number: async () => (await post(url, 'eth_blockNumber', [])).result,
    /** A call that nothing but a node can answer. */
    read: () =>
      post(url, 'eth_call', [
        { to: `0x${'22'.repeat(20)}`, data: `0x${(salt++).toString(16).padStart(8, '0')}` },
        'latest',
      ]),
    /** The value of a series, 0 when there is none. */
    metric: async (name: string, labels: Record<string, string>): Promise<number> => {
      const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n')
      const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
      const line = lines.find(
        (one) => one.startsWith(`${name}{`) && wanted.every((label) => one.includes(label)),
      )
      return Number(line?.split(' ').at(-1) ?? 0)
    },
  }
}

const nameOf = (node: FaultProxy | undefined) => new URL(node?.url ?? '').host

test('behavior: calls are counted by node, operation and outcome, further calls by their reason', async () => {
  const { metric, nodes, read } = await start()
  const [bad, good] = nodes.map(nameOf)
  const calls = (upstream = '', outcome = '200') =>
    metric('ethgate_upstream_call_duration_seconds_count', {
      operation: '/wallet/triggerconstantcontract',
      outcome,
      upstream,
    })
  await Promise.all(Array.from({ length: 40 }, read))
  const before = (await calls(bad)) + (await calls(good))
  expect(before).toBeGreaterThanOrEqual(40)
  expect(Math.min(await calls(bad), await calls(good))).toBeGreaterThan(0)

  await nodes[0]?.fail({ kind: 'status', status: 500 })
  const answers = await Promise.all(Array.from({ length: 40 }, read))
  expect(answers.filter(({ error }) => error)).toEqual([])
  expect(await calls(bad, '500')).toBeGreaterThan(0)
  expect(await calls(good, '500')).toBe(0)
  // On a busy machine the other node may have been asked before the bad one answered.
  const extra = (reason: string) => metric('ethgate_upstream_extra_calls_total', { reason })
  expect((await extra('failover')) + (await extra('hedge'))).toBeGreaterThan(0)
  const stateOf = (state: string, upstream = '') =>
    metric('ethgate_upstream_state', { state, upstream })
  // On a busy machine a probe of the good one may be late.
  await until(async () =>
    expect([await stateOf('failing', bad), await stateOf('healthy', good)]).toEqual([1, 1]),
  )
})

const WORD = `0x${'00'.repeat(31)}07`

test.each([
  ['is used once it was compared with its node', '0xb24e27cc', { result: WORD }],
  ['of another chain is not used', '0x1', { error: { code: -32000 } }],
])('behavior: a JSON-RPC at a guessed address %s', async (_, chainId, answer) => {
  const asked: string[] = []
  const node = await startReplayNode({
    intercept({ body, path }) {
      if (path !== '/jsonrpc') return undefined
      const { method, params } = JSON.parse(body) as { method: string; params: [string] }
      asked.push(method)
      const results: Record<string, () => unknown> = {
        eth_chainId: () => chainId,
        eth_getBlockByNumber: () => {
          const { block } = recordedBlock(Number(params[0]))
          return { hash: `0x${block.blockID}` }
        },
        eth_getStorageAt: () => WORD,
        web3_clientVersion: () => 'Node/v4.8.0/Linux/Java17',
      }
      return { text: JSON.stringify({ jsonrpc: '2.0', id: 1, result: results[method]?.() }) }
    },
  })
  onTestFinished(() => node.close())
  const [upstream] = upstreamsOf(createConfig({ upstream: node.url, upstreamRpc: node.rpcUrl }))
  const { url } = await startGateway({
    config: { upstreams: [{ ...(upstream as Upstream), isRpcGuessed: true }] },
  })
  await until(() => expect(asked).toContain('eth_chainId'))
  const to = `0x${labels.contracts.Token.address.slice(-40)}`
  await until(async () =>
    expect(await post(url, 'eth_getStorageAt', [to, '0x0', 'latest'])).toMatchObject(answer),
  )
})

test('behavior: /health has the address of the first of the present nodes', async () => {
  const { gateway, nodes } = await start()
  expect(gateway.health().upstream.wallet).toBe(nodes[0]?.url)
  await gateway.setUpstreams(upstreamsOf({ ...gateway.config, upstream: nodes[1]?.url }))
  expect(gateway.health().upstream).toMatchObject({
    solidity: nodes[1]?.url,
    wallet: nodes[1]?.url,
  })
})

test('behavior: the head follows a chain that was reset on all nodes to a lower block', async () => {
  const { nodes, number } = await start()
  expect(await number()).toBe('0x5')
  const reset = createScriptedChain()
  reset.mine()
  reset.reorg(1, [{}, {}])
  reset.solidify(1)
  for (const node of nodes) await node.fail({ kind: 'target', target: targetOf(reset) })
  await until(async () => expect(await number()).toBe('0x2'))
})

test.each([
  ['a node whose calls all take long is far', () => true, true],
  [
    'a node whose calls take long while it is busy is not far',
    (call: number) => call % 4 > 0,
    false,
  ],
])('behavior: %s', async (_, isSlow, isFar) => {
  const chain = createScriptedChain()
  for (let block = 0; block < 5; block++) chain.mine()
  const node = await startFaultProxy(targetOf(chain))
  let calls = 0
  await node.fail({ kind: 'latency', ms: 40 }, { only: () => isSlow(calls++) })
  const upstreams = connectUpstreams({
    config: createConfig({ upstream: node.url }),
    telemetry: createTelemetry({ gauges: () => ({}), log: silentLog, slow: 0, tracer: undefined }),
  })
  const native = createNodeClient({ transport: upstreams.transport })
  onTestFinished(async () => {
    await native.close()
    await node.close()
  })
  await until(async () => {
    for (let call = 0; call < 8; call++) await native.wallet.getBlockByNum({ num: 1 })
    expect(upstreams.isFar()).toBe(isFar)
  })
})
