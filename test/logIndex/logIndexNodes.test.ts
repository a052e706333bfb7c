import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { createScriptedChain } from '../support/chain.ts'
import { post } from '../support/client.ts'
import { type FaultProxy, startFaultProxy } from '../support/faultProxy.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { targetOf, upstreamAt } from '../support/upstreams.ts'

/** Blocks between the newest and the solidified block. */
const DEPTH = 2

const LOG = { address: '11'.repeat(20), topics: [] }

/** Blocks that make at least one more group of 64. */
const MORE = 70

const nodeOf = ({ url }: FaultProxy, index: number) => upstreamAt(url, 'abc'[index])

/** A gateway with an index in front of the first two of three nodes. */
async function start() {
  const chain = createScriptedChain()
  const grow = (blocks: number) => {
    for (let block = 0; block < blocks; block++) chain.mine({ logs: [[LOG]] })
    chain.solidify(chain.head().number - DEPTH)
  }
  grow(200)
  const nodes = await Promise.all(Array.from({ length: 3 }, () => startFaultProxy(targetOf(chain))))
  const index = mkdtempSync(join(tmpdir(), 'ethgate-index-nodes-'))
  onTestFinished(async () => {
    await Promise.all(nodes.map((node) => node.close()))
    rmSync(index, { recursive: true })
  })
  const { gateway, url } = await startGateway({
    compiled: true,
    config: { index, indexFrom: 0, indexRate: 10_000, upstreams: nodes.slice(0, 2).map(nodeOf) },
  })
  /** Waits until every block that can be indexed is in the index. Returns the number of logs that a search misses. */
  const missing = async () => {
    const to = lastIndexable(chain.head().number - DEPTH)
    await until(() => expect(gateway.health().index?.covered).toEqual([{ from: 0, to }]))
    const range = { fromBlock: '0x0', toBlock: 'latest' }
    // On a busy machine a node may be too slow for a moment. Then the answer is an error.
    const { result } = await until(async () => {
      const answer = await post(url, 'eth_getLogs', [range])
      expect(answer).not.toHaveProperty('error')
      return answer
    })
    return chain.head().number - (result as unknown[]).length
  }
  return { gateway, grow, missing, nodes }
}

test('behavior: the index grows while either of two nodes fails', async () => {
  const { grow, missing, nodes } = await start()
  expect(await missing()).toBe(0)
  const [first, second] = nodes as [FaultProxy, FaultProxy]
  await first.fail({ kind: 'refused' })
  grow(MORE)
  expect(await missing()).toBe(0)
  await first.heal()
  await second.fail({ kind: 'hang' })
  grow(MORE)
  expect(await missing()).toBe(0)
})

test('behavior: a node of another chain adds nothing to the index', async () => {
  const { gateway, grow, missing, nodes } = await start()
  expect(await missing()).toBe(0)
  const [first] = nodes as [FaultProxy]
  const other = createScriptedChain({ seed: 'other' })
  for (let block = 0; block < 400; block++) other.mine({ logs: [[LOG, LOG]] })
  other.solidify(other.head().number)
  await first.fail({ kind: 'target', target: targetOf(other) })
  grow(MORE)
  expect(await missing()).toBe(0)
  expect(gateway.health().index).not.toHaveProperty('problem')
})

test('behavior: new nodes replace the old ones', async () => {
  const { gateway, grow, missing, nodes } = await start()
  expect(await missing()).toBe(0)
  const [first, second, third] = nodes as [FaultProxy, FaultProxy, FaultProxy]
  await gateway.setUpstreams([nodeOf(third, 2)])
  await first.fail({ kind: 'refused' })
  await second.fail({ kind: 'refused' })
  grow(MORE)
  expect(await missing()).toBe(0)
  await gateway.setUpstreams([nodeOf(first, 0), nodeOf(second, 1)])
  await first.heal()
  await second.heal()
  await third.fail({ kind: 'refused' })
  grow(MORE)
  expect(await missing()).toBe(0)
})
