import { describe, expect, onTestFinished, test } from 'vitest'

import { serveInTest } from '../../../test/support/serve.ts'
import { until } from '../../../test/support/until.ts'
import { upstreamAt } from '../../../test/support/upstreams.ts'
import { OtherChainError } from '../errors.ts'
import { createPoolRpc } from './poolRpc.ts'

const WORD = (digit: string) => `0x${digit.repeat(64)}` as const
const SLOT = WORD('0')
const ADDRESS = `0x${'11'.repeat(20)}` as const

/** A node's own JSON-RPC that answers each call alike. */
async function startRpc(answer: object) {
  const seen: (string | undefined)[] = []
  const url = await serveInTest((incoming, outgoing) => {
    seen.push(incoming.headers['x-key'] as string | undefined)
    outgoing.setHeader('content-type', 'application/json')
    incoming.resume().on('end', () => {
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id: 1, ...answer }))
    })
  })
  return { seen, url }
}

/** Accepts calls and never answers. */
async function startSilent() {
  let open = 0
  const url = await serveInTest((_, outgoing) => {
    open++
    outgoing.on('close', () => open--)
  })
  return { open: () => open, url }
}

async function setup({ timeout = 20_000 } = {}) {
  const a = await startRpc({ result: WORD('a') })
  const b = await startRpc({ result: WORD('b') })
  const order = ['a', 'b']
  const wrong = new Set<string>()
  let stalls = false
  const nodeAt = (name: string, rpc?: string, headers = {}) =>
    upstreamAt('http://127.0.0.1:1', name, { headers, rpc })
  const rpc = createPoolRpc({
    async confirm(name) {
      if (wrong.has(name)) throw new OtherChainError()
      if (stalls) await new Promise(() => {})
    },
    order: () => order,
    timeout,
    upstreams: [nodeAt('a', a.url), nodeAt('b', b.url)],
  })
  onTestFinished(() => rpc.close())
  const read = () => rpc.getStorageAt(ADDRESS, SLOT)
  return { a, b, nodeAt, order, read, rpc, stall: () => (stalls = true), wrong }
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
    rpc.update([nodeAt('a', 'http://127.0.0.1:1'), nodeAt('b', b.url)])
    expect(await read()).toBe(WORD('b'))
    rpc.update([nodeAt('a', a.url), nodeAt('b', b.url)])
    expect(await read()).toBe(WORD('a'))
  })

  test('behavior: a call in flight finishes when its node is removed', async () => {
    const { nodeAt, read, rpc } = await setup()
    const before = () => {}
    let answer = before
    const late = await serveInTest((_, outgoing) => {
      answer = () => void outgoing.end(JSON.stringify({ id: 1, result: WORD('c') }))
    })
    rpc.update([nodeAt('a', late)])
    const reading = read()
    await until(() => expect(answer).not.toBe(before))
    rpc.update([nodeAt('a')])
    answer()
    expect(await reading).toBe(WORD('c'))
  })

  test('behavior: goes on with other nodes, addresses and headers', async () => {
    const { a, b, nodeAt, read, rpc } = await setup()
    rpc.update([nodeAt('a'), nodeAt('b', b.url)])
    expect(await read()).toBe(WORD('b'))
    rpc.update([nodeAt('a', a.url, { 'x-key': 'one' })])
    expect(await read()).toBe(WORD('a'))
    rpc.update([nodeAt('a', a.url, { 'x-key': 'two' })])
    expect(await read()).toBe(WORD('a'))
    expect(a.seen).toEqual(['one', 'two'])
  })

  test('behavior: the next one, in time, when a node does not answer', async () => {
    const { b, nodeAt, read, rpc } = await setup({ timeout: 10_000 })
    const silent = await startSilent()
    rpc.update([nodeAt('a', silent.url), nodeAt('b', b.url)])
    expect(await read()).toBe(WORD('b'))
    await until(() => expect(silent.open()).toBe(0))
  })

  test('error: no node answers: the time of one call is enough for all', async () => {
    const { nodeAt, order, read, rpc } = await setup({ timeout: 2_000 })
    const silent = await startSilent()
    order.push('c')
    rpc.update(order.map((name) => nodeAt(name, silent.url)))
    // The first node gets half of it.
    await expect(read()).rejects.toThrow(/did not answer within (?:1000|\d?\d?\d) ms/)
    await until(() => expect(silent.open()).toBe(0))
  })

  test('error: the check of the chain counts towards the time', async () => {
    const { read, stall } = await setup({ timeout: 200 })
    stall()
    await expect(read()).rejects.toThrow('the upstream node did not answer')
  })

  test('behavior: ends the call of a client that has gone', async () => {
    const { nodeAt, rpc } = await setup()
    const silent = await startSilent()
    rpc.update([nodeAt('a', silent.url)])
    const client = new AbortController()
    const answer = rpc.getStorageAt(ADDRESS, SLOT, client)
    await until(() => expect(silent.open()).toBe(1))
    client.abort(new Error('gone'))
    await expect(answer).rejects.toThrow('gone')
    await until(() => expect(silent.open()).toBe(0))
  })

  test('error: no node has one', async () => {
    const { nodeAt, read, rpc } = await setup()
    rpc.update([nodeAt('a')])
    await expect(read()).rejects.toMatchObject({ code: -32603 })
  })
})
