import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { describe, expect, onTestFinished, test } from 'vitest'

import { upstreamAt } from '../../../test/upstreams.ts'
import { OtherChainError } from '../errors.ts'
import { createPoolRpc } from './poolRpc.ts'

const WORD = (digit: string) => `0x${digit.repeat(64)}` as const
const SLOT = WORD('0')
const ADDRESS = `0x${'11'.repeat(20)}` as const

/** A node's own JSON-RPC that answers each call alike. */
async function startRpc(answer: object) {
  const seen: (string | undefined)[] = []
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming.headers['x-key'] as string | undefined)
    outgoing.setHeader('content-type', 'application/json')
    incoming.resume().on('end', () => {
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function setup() {
  const a = await startRpc({ result: WORD('a') })
  const b = await startRpc({ result: WORD('b') })
  const order = ['a', 'b']
  const wrong = new Set<string>()
  const nodeAt = (name: string, rpc?: string, headers = {}) =>
    upstreamAt('http://127.0.0.1:1', name, { headers, rpc })
  const rpc = createPoolRpc({
    async confirm(name) {
      if (wrong.has(name)) throw new OtherChainError()
    },
    order: () => order,
    timeout: 5_000,
    upstreams: [nodeAt('a', a.url), nodeAt('b', b.url)],
  })
  onTestFinished(() => rpc.close())
  return { a, b, nodeAt, order, read: () => rpc.getStorageAt(ADDRESS, SLOT), rpc, wrong }
}

describe('createPoolRpc', () => {
  test('default: the best node that has one', async () => {
    const { order, read } = await setup()
    expect(await read()).toBe(WORD('a'))
    order.reverse()
    expect(await read()).toBe(WORD('b'))
  })

  test('behavior: the next one when a node cannot be reached or is on another chain', async () => {
    const { a, b, nodeAt, read, rpc, wrong } = await setup()
    wrong.add('a')
    expect(await read()).toBe(WORD('b'))
    wrong.clear()
    await rpc.update([nodeAt('a', 'http://127.0.0.1:1'), nodeAt('b', b.url)])
    expect(await read()).toBe(WORD('b'))
    await rpc.update([nodeAt('a', a.url), nodeAt('b', b.url)])
    expect(await read()).toBe(WORD('a'))
  })

  test('behavior: goes on with other nodes, addresses and headers', async () => {
    const { a, b, nodeAt, read, rpc } = await setup()
    await rpc.update([nodeAt('a'), nodeAt('b', b.url)])
    expect(await read()).toBe(WORD('b'))
    await rpc.update([nodeAt('a', a.url, { 'x-key': 'one' })])
    expect(await read()).toBe(WORD('a'))
    await rpc.update([nodeAt('a', a.url, { 'x-key': 'two' })])
    expect(await read()).toBe(WORD('a'))
    expect(a.seen).toEqual(['one', 'two'])
  })

  test('error: no node has one', async () => {
    const { nodeAt, read, rpc } = await setup()
    await rpc.update([nodeAt('a')])
    await expect(read()).rejects.toMatchObject({ code: -32603 })
  })
})
