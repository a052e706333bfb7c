import { setTimeout as sleep } from 'node:timers/promises'

import type { Hash } from 'viem'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

import type { RpcHeader, RpcLog } from '../../src/codec/types.ts'
import { realNode, startGateway, type TestGateway } from '../support/gateway.ts'
import { emitEvents, kitchen } from '../support/kitchen.ts'
import { explainSkip } from '../support/redis.ts'

const producing = process.env['NATIVE_PRODUCING_URL']
explainSkip(
  producing === undefined
    ? 'NATIVE_PRODUCING_URL does not name a node that makes blocks (its HTTP API, such as http://127.0.0.1:8290)'
    : undefined,
)

describe.skipIf(producing === undefined)('in front of a node that produces blocks', () => {
  let client: TestGateway
  beforeAll(async () => {
    client = await startGateway({ config: realNode(producing ?? '') })
  })
  afterAll(() => client.close())

  test('behavior: 100 logs arrive exactly once by filter, by polling and by WebSocket', async () => {
    const socket = await client.socket()
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const logs = await socket.rpc<string>('eth_subscribe', 'logs', { address: kitchen })
    const filter = await client.rpc<string>('eth_newFilter', { address: kitchen })
    let next = Number(await client.rpc('eth_blockNumber')) + 1
    const byFilter: Hash[] = []
    const byPolling: Hash[] = []

    async function poll() {
      for (const log of await client.rpc<RpcLog[]>('eth_getFilterChanges', filter))
        byFilter.push(log.transactionHash)
      const newest = Number(await client.rpc('eth_blockNumber'))
      if (newest < next) return
      const range = { fromBlock: `0x${next.toString(16)}`, toBlock: `0x${newest.toString(16)}` }
      const found = await client.rpc<RpcLog[]>('eth_getLogs', { address: kitchen, ...range })
      byPolling.push(...found.map(({ transactionHash }) => transactionHash))
      next = newest + 1
    }

    let sent: Hash[] = []
    const sending = emitEvents(producing ?? '', 100).then((hashes) => (sent = hashes))
    const bySocket = () => socket.of<RpcLog>(logs).map(({ transactionHash }) => transactionHash)
    // Other suites call the contract too.
    const seen = () =>
      [byFilter, byPolling, bySocket()].map((hashes) =>
        hashes.filter((hash) => sent.includes(hash)).toSorted(),
      )
    await vi.waitFor(
      async () => {
        await poll()
        for (const hashes of seen()) expect(hashes.length).toBeGreaterThanOrEqual(100)
      },
      { interval: 200, timeout: 90_000 },
    )
    await sending
    // Two blocks later, so that a log that is delivered twice has arrived.
    await sleep(7_000)
    await poll()
    for (const hashes of seen()) expect(hashes).toEqual(sent.toSorted())
    const numbers = socket.of<RpcHeader>(heads).map(({ number }) => Number(number))
    expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
    await socket.close()
  }, 150_000)

  test('behavior: each transaction is announced as pending once, before its block', async () => {
    const socket = await client.socket()
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const pending = await socket.rpc<string>('eth_subscribe', 'newPendingTransactions')
    const filter = await client.rpc<string>('eth_newPendingTransactionFilter')
    const sent = await emitEvents(producing ?? '', 30)
    const ofThese = (hashes: string[]) =>
      hashes.filter((hash) => sent.includes(hash as Hash)).toSorted()
    const mined = new Map<string, string>()
    const byFilter: string[] = []
    await vi.waitFor(
      async () => {
        byFilter.push(...(await client.rpc<string[]>('eth_getFilterChanges', filter)))
        for (const { hash } of socket.of<RpcHeader>(heads)) {
          const block = await client.rpc<{ transactions: string[] }>(
            'eth_getBlockByHash',
            hash,
            false,
          )
          for (const transaction of block.transactions) mined.set(transaction, hash)
        }
        // A busy node may leave some out until they expire: they are pending all the same.
        expect(ofThese([...mined.keys()]).length).toBeGreaterThan(sent.length / 2)
        // Transactions sent after this block arrived are announced after the next look at the mempool.
        for (const seen of [byFilter, socket.of<string>(pending)])
          expect(ofThese(seen).length).toBeGreaterThanOrEqual(sent.length)
      },
      { interval: 500, timeout: 60_000 },
    )
    for (const seen of [byFilter, socket.of<string>(pending)])
      expect(ofThese(seen)).toEqual(sent.toSorted())
    const place = (subscription: string, item: string) =>
      socket.notes.findIndex(
        (note) =>
          note.subscription === subscription &&
          (typeof note.result === 'string' ? note.result : (note.result as RpcHeader).hash) ===
            item,
      )
    for (const hash of ofThese([...mined.keys()]))
      expect(place(pending, hash)).toBeLessThan(place(heads, mined.get(hash) as string))
    await socket.close()
  }, 90_000)

  test('behavior: a subscriber has a new head before the node shows the next one', async () => {
    const socket = await client.socket()
    const id = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const arrived = new Map<string, number>()
    const shown = new Map<string, number>()
    const until = Date.now() + 20_000
    const watchNode = async () => {
      while (Date.now() < until) {
        const response = await fetch(`${producing}/wallet/getblock`, { method: 'POST', body: '{}' })
        const { blockID } = (await response.json()) as { blockID: string }
        if (!shown.has(`0x${blockID}`)) shown.set(`0x${blockID}`, Date.now())
        await sleep(10)
      }
    }
    const watchSocket = async () => {
      while (Date.now() < until) {
        for (const { hash } of socket.of<RpcHeader>(id))
          if (!arrived.has(hash)) arrived.set(hash, Date.now())
        await sleep(5)
      }
    }
    await Promise.all([watchNode(), watchSocket()])
    const delays = [...arrived].map(([hash, at]) => at - (shown.get(hash) ?? at))
    process.stdout.write(`new heads reached the subscriber after ${delays.join(', ')} ms\n`)
    expect(delays.length).toBeGreaterThan(3)
    const blocks = [...shown]
    const late = blocks.filter(([hash], index) => {
      const next = blocks[index + 1]?.[1] ?? Number.POSITIVE_INFINITY
      return (arrived.get(hash) ?? 0) > next
    })
    expect(late).toEqual([])
    // In the order of the chain, without a gap. The first was shown before the subscription, and the last may not have arrived.
    const seen = [...arrived.keys()].filter((hash) => shown.has(hash))
    const first = blocks.findIndex(([hash]) => hash === seen[0])
    expect(first).toBeLessThan(2)
    expect(seen).toEqual([...shown.keys()].slice(first, first + seen.length))
    expect(seen.length).toBeGreaterThanOrEqual(shown.size - 2)
    await socket.close()
  }, 60_000)
})
