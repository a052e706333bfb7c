import { once } from 'node:events'
import { type IncomingMessage, request as httpRequest } from 'node:http'

import { describe, expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { log, logBlocks, other, startWatchedChain } from '../../../test/support/watchedChain.ts'
import type { RpcLog } from '../../codec/types.ts'

type Watched = Awaited<ReturnType<typeof startWatchedChain>>

let chain: Watched['chain']
let gateway: Watched['gateway']
let sync: Watched['sync']

const address = `0x${log.address}`
const topic = `0x${log.topics[0]}`

async function start(options: startWatchedChain.Options = {}) {
  ;({ chain, gateway, sync } = await startWatchedChain(options))
}

const changes = (id: string) => gateway.rpc<RpcLog[]>('eth_getFilterChanges', id)
const brief = (logs: RpcLog[]) =>
  logs.map(
    ({ blockNumber, logIndex, removed }) =>
      `${removed ? '-' : '+'}${Number(blockNumber)}.${Number(logIndex)}`,
  )

describe('log filters', () => {
  test('default: each poll returns the logs since the previous one', async () => {
    await start()
    const id = await gateway.rpc<string>('eth_newFilter', { address, topics: [topic] })
    expect(id).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
    expect(await changes(id)).toEqual([])
    const block = chain.mine({ logs: [[log, other], [log]] })
    await sync()
    const found = await changes(id)
    expect(found).toEqual([
      {
        address,
        blockHash: block.hash,
        blockNumber: '0x1',
        blockTimestamp: `0x${(block.timestamp / 1_000).toString(16)}`,
        data: '0x',
        logIndex: '0x0',
        removed: false,
        topics: [topic],
        transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string,
        transactionIndex: '0x0',
      },
      expect.objectContaining({ logIndex: '0x2', transactionIndex: '0x1' }),
    ])
    expect(await changes(id)).toEqual([])
    expect(await gateway.rpc('eth_getFilterLogs', id)).toEqual(found)
    expect(await gateway.rpc('eth_getFilterLogs', id)).toEqual(found)
  })

  test('behavior: after a reorg removed logs come first, newest first', async () => {
    await start()
    const id = await gateway.rpc<string>('eth_newFilter', {})
    chain.mine({ logs: [[log]] })
    chain.mine({ logs: [[log, log]] })
    await sync()
    expect(brief(await changes(id))).toEqual(['+1.0', '+2.0', '+2.1'])
    chain.reorg(2, [{}, { logs: [[log]] }, { logs: [[log]] }])
    await sync()
    expect(brief(await changes(id))).toEqual(['-2.1', '-2.0', '-1.0', '+2.0', '+3.0'])
    expect(await changes(id)).toEqual([])
  })

  test.each([
    ['recent blocks', 0],
    ['old blocks', 200],
  ])(
    'behavior: in %s, a block with more logs than one page or one search may have',
    async (_, later) => {
      await start({ config: { filterPage: 3, logsMaxResults: 4 } })
      const id = await gateway.rpc<string>('eth_newFilter', {})
      chain.mine({ logs: [[log]] })
      chain.mine({ logs: [[log, log, log, log, log]] })
      for (let count = 0; count < later; count++) chain.mine()
      chain.solidify(later)
      chain.mine({ logs: [[log]] })
      await sync()
      const found = []
      while (found.length < 7) found.push(...brief(await changes(id)))
      const last = `+${later + 3}.0`
      expect(found).toEqual(['+1.0', '+2.0', '+2.1', '+2.2', '+2.3', '+2.4', last])
      expect(await changes(id)).toEqual([])
    },
  )

  test('behavior: a branch that appeared and disappeared between polls is not delivered', async () => {
    await start()
    const id = await gateway.rpc<string>('eth_newFilter', {})
    chain.mine({ logs: [[log]] })
    await sync()
    chain.reorg(1, [{ logs: [[other]] }, {}])
    await sync()
    const found = await changes(id)
    expect(brief(found)).toEqual(['+1.0'])
    expect(found[0]?.address).toBe(`0x${other.address}`)
  })

  test('args: a range limits new logs; eth_getFilterLogs returns the whole range', async () => {
    await start({ blocks: logBlocks(4), solid: 3 })
    const create = (filter: object) => gateway.rpc<string>('eth_newFilter', filter)
    const whole = (id: string) => gateway.rpc<RpcLog[]>('eth_getFilterLogs', id)
    const past = await create({ fromBlock: '0x2' })
    const all = await create({ fromBlock: 'earliest' })
    const over = await create({ fromBlock: '0x1', toBlock: '0x2' })
    const ends = await create({ fromBlock: '0x3', toBlock: '0x5' })
    const future = await create({ fromBlock: '0x6', toBlock: '0x6' })
    const filters = [past, all, over, ends, future]
    for (const id of filters) expect(await changes(id)).toEqual([])
    expect(brief(await whole(past))).toEqual(['+2.0', '+3.0', '+4.0'])
    // As in geth, a filter waits for blocks to come, but a search names only blocks that are there.
    for (const [id, requested] of [
      [ends, 5],
      [future, 6],
    ] as const)
      await expect(whole(id)).rejects.toMatchObject({
        code: -32602,
        message: `block range extends beyond current head block: requested ${requested}, head 4`,
      })
    for (let count = 0; count < 3; count++) chain.mine({ logs: [[log]] })
    await sync()
    const names = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => `+${from + index}.0`)
    expect(brief(await changes(past))).toEqual(names(5, 7))
    expect(brief(await changes(all))).toEqual(names(5, 7))
    expect(brief(await changes(over))).toEqual([])
    expect(brief(await changes(ends))).toEqual(names(5, 5))
    expect(brief(await changes(future))).toEqual(names(6, 6))
    const ranges = await Promise.all(filters.map(whole))
    expect(ranges.map(brief)).toEqual([
      names(2, 7),
      names(1, 7),
      names(1, 2),
      names(3, 5),
      names(6, 6),
    ])
    for (const id of filters) expect(await changes(id)).toEqual([])
  })

  test('behavior: web3j reads past logs, then polls, and gets each log once', async () => {
    await start({ blocks: logBlocks(2) })
    const filter = { fromBlock: 'earliest', toBlock: 'latest', address: [address], topics: [] }
    const id = await gateway.rpc<string>('eth_newFilter', filter)
    const seen = brief(await gateway.rpc('eth_getFilterLogs', id))
    seen.push(...brief(await changes(id)))
    chain.mine({ logs: [[log]] })
    await sync()
    seen.push(...brief(await changes(id)))
    expect(seen).toEqual(['+1.0', '+2.0', '+3.0'])
  })

  test('behavior: a page ends between blocks, and the next poll returns the rest', async () => {
    await start({ config: { filterPage: 5 } })
    const id = await gateway.rpc<string>('eth_newFilter', { fromBlock: '0x0' })
    for (let count = 0; count < 3; count++) chain.mine({ logs: [[log, log]] })
    chain.solidify(2)
    chain.mine({ logs: [[log, log, log]] })
    await sync()
    const pages = [await changes(id), await changes(id), await changes(id)].map(brief)
    expect(pages).toEqual([
      ['+1.0', '+1.1', '+2.0', '+2.1'],
      ['+3.0', '+3.1', '+4.0', '+4.1', '+4.2'],
      [],
    ])
  })

  test('behavior: a page whose response was not delivered comes with the next poll', async () => {
    await start()
    const id = await gateway.rpc<string>('eth_newFilter', {})
    // More than the socket's buffers hold, so that the response cannot leave while the client does not read.
    const big = { ...log, data: 'cd'.repeat(1_000_000) }
    chain.mine({ logs: [[big, big, big, big, big, big]] })
    await sync()
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getFilterChanges',
      params: [id],
    })
    const request = httpRequest(gateway.url, { method: 'POST' })
    request.on('error', () => {})
    request.end(body)
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.pause()
    // A poll before the page is delivered returns nothing.
    expect(await changes(id)).toEqual([])
    request.destroy()
    await until(async () => expect(await changes(id)).toHaveLength(6))
    expect(await changes(id)).toEqual([])
  })

  test('behavior: polls of one batch and concurrent polls return no log twice', async () => {
    await start()
    const id = await gateway.rpc<string>('eth_newFilter', {})
    chain.mine({ logs: [[log, log]] })
    await sync()
    const found = await Promise.all(Array.from({ length: 5 }, () => changes(id)))
    expect(found.flat()).toHaveLength(2)
  })

  test('error: parameters', async () => {
    await start()
    await expect(
      gateway.rpc('eth_newFilter', { fromBlock: '0x5', toBlock: '0x4' }),
    ).rejects.toMatchObject({ code: -32602 })
    await expect(
      gateway.rpc('eth_newFilter', { blockHash: chain.head().hash }),
    ).rejects.toMatchObject({ code: -32602 })
    await expect(gateway.rpc('eth_getFilterChanges')).rejects.toMatchObject({ code: -32602 })
  })
})
