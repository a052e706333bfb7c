import { readFileSync } from 'node:fs'

import { afterEach, describe, expect, test } from 'vitest'

import { startDevGateway } from '../../../test/support/devGateway.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { createRpc } from '../base/rpcClient.ts'
import { judge } from './judge.ts'
import { TOOLS } from './names.ts'
import { recorded } from './recorded.ts'
import { replay } from './replay.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const rpcOf = (url: string) => createRpc({ timeout: 30_000, url })

describe('a development chain, from which the requests were recorded', () => {
  test.each(TOOLS)('behavior: everything that %s sends works', async (tool) => {
    const dev = await startDevGateway({ rules: { decimals: 18 } })
    closing.push(() => dev.close())
    const from = dev.accountOf(0)
    await dev.rpc('eth_sendTransaction', { from, data: '0x6001600081600a8239f3' })
    const replayed = await replay(recorded[tool], rpcOf(dev.url))
    expect(replayed.length).toBe(recorded[tool].requests.length)
    expect(replayed.filter(({ level }) => level === 'fail')).toEqual([])
  })
})

describe('a gateway in front of a node', () => {
  test('behavior: what does not work is named, with the setting that changes it', async () => {
    const gateway = await startGateway()
    closing.push(() => gateway.close())
    const rpc = rpcOf(`${gateway.url}/wei`)
    const requests = [
      { method: 'eth_chainId', params: [] },
      { method: 'eth_getTransactionReceipt', params: ['$transaction'] },
      { method: 'eth_getBlockByHash', params: ['$blockHash', false] },
      { method: 'eth_simulateV1', params: [{ blockStateCalls: [{}] }, 'latest'] },
      {
        method: 'eth_call',
        params: [{ to: '$contract' }, 'latest', { [`0x${'11'.repeat(20)}`]: {} }],
      },
      { method: 'eth_getCode', params: ['$contract', '0x1'] },
      { method: 'eth_getProof', params: ['$account', [], 'latest'] },
      { method: 'eth_subscribe', params: ['newHeads'] },
      { method: 'hardhat_reset', params: [] },
      { method: 'debug_everything', params: [] },
    ]
    const replayed = await replay({ how: 'this test', requests }, rpc)
    expect(replayed.map(({ advice, level, method }) => [method, level, advice])).toEqual([
      ['eth_chainId', 'ok', ''],
      ['eth_getTransactionReceipt', 'ok', ''],
      ['eth_getBlockByHash', 'ok', ''],
      ['eth_simulateV1', 'fail', 'serve with --simulate on and --upstream-rpc'],
      ['eth_call', 'fail', 'serve with --simulate on and --upstream-rpc'],
      ['eth_getCode', 'fail', expect.stringContaining('read "latest"')],
      ['eth_getProof', 'info', expect.any(String)],
      ['eth_subscribe', 'ok', ''],
      ['hardhat_reset', 'info', expect.stringContaining('ethgate dev')],
      ['debug_everything', 'fail', 'no setting adds it'],
    ])
  })

  test('behavior: amounts are amounts of its chain, because a wei is a fraction of its smallest unit', async () => {
    const gateway = await startGateway()
    closing.push(() => gateway.close())
    const rpc = rpcOf(`${gateway.url}/wei`)
    const price = await rpc.call('eth_gasPrice')
    const sent = { from: '$account', to: '$account', value: '0x1', maxFeePerGas: '0x1' }
    const [replayed] = await replay(
      { how: '', requests: [{ method: 'eth_sendTransaction', params: [sent] }] },
      rpc,
    )
    expect(replayed).toMatchObject({
      params: [{ value: price, maxFeePerGas: price }],
      level: 'fail',
      advice: expect.stringContaining('--keys') as string,
    })
  })

  test('error: an address without WebSockets is named', async () => {
    const gateway = await startGateway()
    closing.push(() => gateway.close())
    const requests = [{ method: 'eth_subscribe', params: ['newHeads'] }]
    const rpc = { ...rpcOf(gateway.url), url: 'http://127.0.0.1:1' }
    expect(await replay({ how: '', requests }, rpc)).toMatchObject([
      { level: 'fail', advice: expect.stringContaining('WebSockets') as string },
    ])
  })
})

test('default: docs/tools.md has a row of each tool for both releases', () => {
  const page = readFileSync(new URL('../../../docs/tools.md', import.meta.url), 'utf8')
  const [before = ''] = page.split('## Other clients')
  const [titles = '', , ...rows] = before.split('\n').filter((line) => line.startsWith('|'))
  for (const release of ['4.8.0', '4.8.2'])
    for (const start of ['alone', 'with --upstream-rpc and --simulate on'])
      expect(titles).toContain(`${release} ${start}`)
  expect(rows.map((row) => row.split('|')[1]?.trim())).toEqual([...TOOLS])
  for (const tool of TOOLS) {
    const row = rows.find((line) => line.startsWith(`| ${tool} `)) ?? ''
    expect(row).toContain(recorded[tool].how)
    const { length } = recorded[tool].requests
    expect(row.match(new RegExp(`(?:all|of) ${length}\\b`, 'g'))).toHaveLength(4)
  }
})

test('default: an error about the chain is an answer', () => {
  expect(judge('eth_call', { error: { code: 3, message: 'execution reverted' } }).level).toBe('ok')
  expect(judge('eth_call', { error: { code: -32000, message: 'x' } }).level).toBe('ok')
  expect(judge('eth_call', { error: { code: -32603, message: 'x' } }).level).toBe('fail')
  const unknown = 'unknown account: the gateway does not manage the key of 0x00'
  expect(judge('eth_sendTransaction', { error: { code: -32000, message: unknown } })).toMatchObject(
    { level: 'fail', advice: expect.stringContaining('--keys') as string },
  )
  expect(judge('eth_call', { error: { code: 4100, message: 'needs an API key' } })).toMatchObject({
    level: 'fail',
    advice: expect.stringContaining('API key') as string,
  })
})
