import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, expect, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { post } from '../../../test/support/client.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { CHAIN, labels } from '../../../test/support/recordedChain.ts'
import { until } from '../../../test/support/until.ts'
import { toRpcLogs } from '../../codec/log.ts'
import type { RpcLog } from '../../codec/types.ts'
import type { Config } from '../../config/config.ts'
import { isComplete, joinOrigins } from './origins.ts'

const token = `0x${labels.contracts.Token.address.slice(2)}`
const filter = { fromBlock: '0x0', toBlock: 'latest', address: token }

/** Every log of the token in the recorded chain. */
const all = Array.from({ length: CHAIN.head + 1 }, (_, number) => {
  const { block, infos } = recordedBlock(number)
  return toRpcLogs(block, infos)
})
  .flat()
  .filter(({ address }) => address === token)

/** The block whose logs the node's own search drops. */
const dropped = all.at(-1)?.blockNumber
const found = all.filter(({ blockNumber }) => blockNumber !== dropped)

/** A folder that is deleted after the test. */
async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'ethgate-origins-'))
  closing.push(() => rm(path, { force: true, recursive: true }))
  return path
}

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** A gateway in front of a node whose own eth_getLogs has no bloom filter of one block. */
async function start(config: Partial<Config> = {}) {
  const gateway = await startGateway({
    config,
    intercept({ body, path }) {
      if (path !== '/jsonrpc' || !body.includes('eth_getLogs')) return undefined
      const { id } = JSON.parse(body) as { id: number }
      return { text: JSON.stringify({ jsonrpc: '2.0', id, result: found }) }
    },
  })
  closing.push(() => gateway.close())
  return gateway.url
}

async function search(url: string): Promise<{ headers: Headers; logs: RpcLog[] }> {
  const response = await fetch(`${url}/?explain=1`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] }),
  })
  const { result } = (await response.json()) as { result: RpcLog[] }
  return { headers: response.headers, logs: result }
}

test('behavior: an answer that rests on a search of the node that drops logs is not called complete', async () => {
  const url = await start()
  for (const _ of ['read', 'cached']) {
    const { headers, logs } = await search(url)
    expect(logs).toEqual(found)
    expect(headers.get('x-ethgate-logs')).toBe(`nodeSearch;from=0;to=${CHAIN.head}`)
    expect(headers.get('x-ethgate-logs-complete')).toBe('false')
  }
  const { result } = await post(url, 'ethgate_getLogs', [{ filter, limit: 10_000 }])
  expect(result).toMatchObject({
    complete: false,
    sources: [{ from: '0x0', to: '0xdf', source: 'nodeSearch' }],
  })
  const call = { method: 'eth_getLogs', params: [filter] }
  expect((await post(url, 'ethgate_explain', [call])).result).toMatchObject({
    logs: { complete: false, blocks: [{ from: 0, to: CHAIN.head, source: 'nodeSearch' }] },
  })
})

test('args: with --logs-trust-node off the same answer has all logs and is complete', async () => {
  const url = await start({ logsTrustNode: 'off' })
  const { headers, logs } = await search(url)
  expect(logs).toEqual(all)
  expect(headers.get('x-ethgate-logs')).toContain('receipts;from=0;to=')
  expect(headers.get('x-ethgate-logs-complete')).toBe('true')
  const { result } = await post(url, 'ethgate_getLogs', [{ filter, limit: 10_000 }])
  expect(result).toMatchObject({
    complete: true,
    sources: [{ from: '0x0', to: '0xdf', source: 'memory' }],
  })
})

test('behavior: named cursors read receipts, so they have the logs that the search drops', async () => {
  const url = await start({ dataDir: await folder() })
  const name = 'a-cursor-of-this-test'
  const opened = await post(url, 'ethgate_openCursor', [
    { name, filter: { address: token }, from: '0x0' },
  ])
  expect(opened.error).toBeUndefined()
  const { result } = await post(url, 'ethgate_next', [{ name, limit: 10_000 }])
  expect(result).toMatchObject({ logs: all })
})

test('behavior: a page names the blocks up to its last log, also within one block', async () => {
  const url = await start()
  const { result: first } = await post(url, 'ethgate_getLogs', [{ filter, limit: 1 }])
  const { cursor, logs } = first as { cursor: string; logs: RpcLog[] }
  expect(first).toMatchObject({ sources: [{ from: '0x0', to: logs[0]?.blockNumber }] })
  const { result } = await post(url, 'ethgate_getLogs', [{ filter, cursor, limit: 10_000 }])
  expect((result as { sources: { to: string }[] }).sources.at(-1)?.to).toBe('0xdf')
  const { result: one } = await post(url, 'ethgate_explain', [
    { method: 'eth_getLogs', params: [{ blockHash: logs[0]?.blockHash }] },
  ])
  expect(one).toMatchObject({ logs: { complete: true, blocks: [{ source: 'memory' }] } })
})

test('behavior: with an index, its blocks are named, and the others were in memory or read', async () => {
  const chain = createScriptedChain()
  for (let number = 1; number <= 400; number++)
    chain.mine({ logs: [[{ address: '11'.repeat(20), topics: [] }]] })
  chain.solidify(390)
  const node = await chain.listen()
  closing.push(() => node.close())
  const { close, url } = await startGateway({
    config: { upstream: node.url, index: await folder(), indexFrom: 0 },
  })
  closing.push(close)
  const everything = { fromBlock: '0x0', toBlock: '0x190' }
  await until(async () => {
    const { result } = await post(url, 'ethgate_getLogs', [{ filter: everything, limit: 1_000 }])
    const { complete, sources } = result as { complete: boolean; sources: { source: string }[] }
    expect(complete).toBe(true)
    expect(sources[0]).toMatchObject({ from: '0x0', source: 'index' })
    expect(sources.at(-1)).toMatchObject({ to: '0x190', source: 'memory' })
  })
  const { result } = await post(url, 'ethgate_explain', [
    { method: 'ethgate_countLogs', params: [everything] },
  ])
  expect(result).toMatchObject({ result: '0x190', logs: { complete: true } })
})

test('default: neighbours of one source are one range', () => {
  const joined = joinOrigins([
    { from: 5, to: 9, source: 'memory' },
    { from: 0, to: 3, source: 'index' },
    { from: 4, to: 4, source: 'index' },
  ])
  expect(joined).toEqual([
    { from: 0, to: 4, source: 'index' },
    { from: 5, to: 9, source: 'memory' },
  ])
  expect(isComplete(joined)).toBe(true)
  expect(isComplete([...joined, { from: 10, to: 10, source: 'nodeSearch' }])).toBe(false)
})
