import type { Hash } from 'viem'
import { describe, expect, test } from 'vitest'

import { openSocket } from '../../../test/support/client.ts'
import { until } from '../../../test/support/until.ts'
import { log, logBlocks, other, startWatchedChain } from '../../../test/support/watchedChain.ts'
import type { RpcHeader, RpcLog } from '../../codec/types.ts'
import type { RpcSocket } from './socket.ts'

type Watched = Awaited<ReturnType<typeof startWatchedChain>>

let chain: Watched['chain']
let gateway: Watched['gateway']
let socket: Awaited<ReturnType<typeof openSocket>>

async function start(options: startWatchedChain.Options = {}) {
  ;({ chain, gateway } = await startWatchedChain(options))
  socket = await gateway.socket()
}

const soon = (check: () => void) => until(check)
const hashesOf = (id: string) => socket.of<RpcHeader>(id).map(({ hash }) => hash)
const brief = (id: string) =>
  socket
    .of<RpcLog>(id)
    .map(
      ({ blockNumber, logIndex, removed }) =>
        `${removed ? '-' : '+'}${Number(blockNumber)}.${Number(logIndex)}`,
    )

describe('createHub', () => {
  test('default: delivers new heads and logs', async () => {
    await start()
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const logs = await socket.rpc<string>('eth_subscribe', 'logs', { address: `0x${log.address}` })
    expect(heads).toMatch(/^0x[1-9a-f][0-9a-f]{31}$/)
    const block = chain.mine({ logs: [[other, log]] })
    await soon(() => expect(socket.notes).toHaveLength(2))
    const {
      transactions: _,
      uncles: __,
      ...header
    } = await gateway.rpc<{
      transactions: unknown
      uncles: unknown
    }>('eth_getBlockByNumber', '0x1', false)
    expect(socket.of(heads)).toEqual([header])
    expect(socket.of(logs)).toEqual(
      await gateway.rpc('eth_getLogs', { blockHash: block.hash, address: `0x${log.address}` }),
    )
  })

  test('behavior: after a reorg logs are removed newest first, and the new branch is announced', async () => {
    await start()
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const logs = await socket.rpc<string>('eth_subscribe', 'logs', {})
    const old = [chain.mine({ logs: [[log]] }), chain.mine({ logs: [[log, log]] })]
    await soon(() => expect(hashesOf(heads)).toHaveLength(2))
    const branch = chain.reorg(2, [{}, { logs: [[log]] }, {}])
    await soon(() => expect(hashesOf(heads)).toHaveLength(5))
    expect(hashesOf(heads)).toEqual([...old, ...branch].map(({ hash }) => hash))
    await soon(() =>
      expect(brief(logs)).toEqual(['+1.0', '+2.0', '+2.1', '-2.1', '-2.0', '-1.0', '+2.0']),
    )
  })

  test('args: resumeFrom delivers all blocks since, then continues live', async () => {
    await start({ blocks: logBlocks(200), solid: 190 })
    const resume = { resumeFrom: '0x5' }
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads', resume)
    const logs = await socket.rpc<string>('eth_subscribe', 'logs', {}, resume)
    const edge = await socket.rpc<string>('eth_subscribe', 'newHeads', { resumeFrom: 'latest' })
    for (let count = 0; count < 5; count++) chain.mine({ logs: [[log]] })
    await soon(() => expect(brief(logs)).toHaveLength(201))
    await soon(() => expect(hashesOf(heads)).toHaveLength(201))
    const expected = chain.canonical().slice(5)
    expect(hashesOf(heads)).toEqual(expected.map(({ hash }) => hash))
    expect(brief(logs)).toEqual(expected.map(({ number }) => `+${number}.0`))
    await soon(() => expect(hashesOf(edge)).toEqual(expected.slice(-5).map(({ hash }) => hash)))
  })

  test('args: resumeFrom below a block with more logs than one search may have', async () => {
    await start({
      blocks: [{ logs: [Array(5).fill(log)] }, ...logBlocks(200)],
      solid: 190,
      config: { logsMaxResults: 4 },
    })
    const logs = await socket.rpc<string>('eth_subscribe', 'logs', {}, { resumeFrom: '0x0' })
    await soon(() => expect(brief(logs)).toHaveLength(205))
    expect(brief(logs).slice(0, 6)).toEqual(['+1.0', '+1.1', '+1.2', '+1.3', '+1.4', '+2.0'])
  })

  test('args: resumeFrom in the future', async () => {
    await start()
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads', { resumeFrom: '0x2' })
    chain.mine()
    const second = chain.mine()
    await soon(() => expect(hashesOf(heads)).toEqual([second.hash]))
  })

  test('args: a range delivers no past logs; it limits new ones', async () => {
    await start({ blocks: logBlocks(3) })
    const subscribe = (filter: object, ...more: object[]) =>
      socket.rpc<string>('eth_subscribe', 'logs', filter, ...more)
    const past = await subscribe({ fromBlock: '0x1', toBlock: 'latest' })
    const early = await subscribe({ fromBlock: 'earliest', toBlock: '0x4' })
    const later = await subscribe({ fromBlock: '0x5' })
    const resumed = await subscribe({ fromBlock: '0x2', toBlock: '0x4' }, { resumeFrom: '0x0' })
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads', { fromBlock: '0x1' })
    for (let count = 0; count < 2; count++) chain.mine({ logs: [[log]] })
    await soon(() => expect(hashesOf(heads)).toHaveLength(2))
    await soon(() => expect(brief(resumed)).toHaveLength(3))
    expect(brief(past)).toEqual(['+4.0', '+5.0'])
    expect(brief(early)).toEqual(['+4.0'])
    expect(brief(later)).toEqual(['+5.0'])
    expect(brief(resumed)).toEqual(['+2.0', '+3.0', '+4.0'])
  })

  test('behavior: pending transactions, each once', async () => {
    await start()
    const id = await socket.rpc<string>('eth_subscribe', 'newPendingTransactions')
    chain.pending.push('01'.repeat(32))
    await soon(() => expect(socket.of<Hash>(id)).toHaveLength(1))
    chain.pending.push('02'.repeat(32))
    await soon(() => expect(socket.of<Hash>(id)).toEqual(chain.pending.map((hash) => `0x${hash}`)))
  })

  test('behavior: a transaction that no poll of the mempool saw is announced with its block, before the head', async () => {
    await start()
    const heads = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const pending = await socket.rpc<string>('eth_subscribe', 'newPendingTransactions')
    const blocks = ['1', '2', '3'].map((digit) => {
      const ids = [`${digit}a`.repeat(32), `${digit}b`.repeat(32)]
      return { hash: chain.mine({ ids, logs: [[], []] }).hash, ids: ids.map((id) => `0x${id}`) }
    })
    await soon(() => expect(socket.notes).toHaveLength(9))
    expect(socket.of(pending)).toEqual(blocks.flatMap(({ ids }) => ids))
    const results = socket.notes.map(({ result }) =>
      typeof result === 'string' ? result : (result as RpcHeader),
    )
    const at = (item: string) =>
      results.findIndex((one) => (typeof one === 'string' ? one : one.hash) === item)
    for (const { hash, ids } of blocks) for (const id of ids) expect(at(id)).toBeLessThan(at(hash))
    expect(hashesOf(heads)).toEqual(blocks.map(({ hash }) => hash))
  })

  test('behavior: syncing delivers the state at once, and again when it changes', async () => {
    // The blocks of the scripted chain are years old, so its first new block starts the syncing state.
    await start()
    const id = await socket.rpc<string>('eth_subscribe', 'syncing')
    const behind = (current: string) => ({
      syncing: true,
      status: {
        startingBlock: '0x0',
        currentBlock: current,
        highestBlock: expect.stringMatching(/^0x[0-9a-f]+$/) as string,
      },
    })
    await soon(() => expect(socket.of(id)).toEqual([behind('0x0')]))
    chain.mine({ timestamp: Date.now() })
    await soon(() => expect(socket.of(id)).toEqual([behind('0x0'), false]))
  })

  test('behavior: a subscription can be removed once', async () => {
    await start()
    const id = await socket.rpc<string>('eth_subscribe', 'newHeads')
    const kept = await socket.rpc<string>('eth_subscribe', 'newHeads')
    expect(await socket.rpc('eth_unsubscribe', id)).toBe(true)
    expect(await socket.rpc('eth_unsubscribe', id)).toBe(false)
    chain.mine()
    await soon(() => expect(hashesOf(kept)).toHaveLength(1))
    expect(hashesOf(id)).toEqual([])
    const stranger = await gateway.socket()
    expect(await stranger.rpc('eth_unsubscribe', kept)).toBe(false)
    await stranger.close()
  })

  test('behavior: the solidified view delivers only final blocks', async () => {
    await start()
    const solid = await openSocket(`${gateway.url.replace('http', 'ws')}/solidity`)
    const id = await solid.rpc<string>('eth_subscribe', 'newHeads')
    const block = chain.mine()
    chain.solidify(1)
    chain.mine()
    await soon(() => expect(solid.of<RpcHeader>(id).map(({ hash }) => hash)).toEqual([block.hash]))
    await expect(solid.rpc('eth_subscribe', 'newPendingTransactions')).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining('not available on the solidified view') as string,
    })
    await solid.close()
  })

  test('behavior: the solidified view of a chain that has not solidified for long', async () => {
    await start({ blocks: Array.from({ length: 1_100 }, () => ({})), solid: 10 })
    const solid = await openSocket(`${gateway.url.replace('http', 'ws')}/solidity`)
    const id = await solid.rpc<string>('eth_subscribe', 'newHeads')
    chain.mine()
    chain.solidify(12)
    chain.mine()
    const expected = chain.canonical().slice(11, 13)
    await soon(() =>
      expect(solid.of<RpcHeader>(id).map(({ hash }) => hash)).toEqual(
        expected.map(({ hash }) => hash),
      ),
    )
    await solid.close()
  })

  test('error: limits of a connection and of an address; a closed socket frees its share', async () => {
    await start({ config: { subscriptionsPerConnection: 2, subscriptionsPerClient: 3 } })
    await socket.rpc('eth_subscribe', 'newHeads')
    await socket.rpc('eth_subscribe', 'newHeads')
    await expect(socket.rpc('eth_subscribe', 'newHeads')).rejects.toMatchObject({ code: -32005 })
    const second = await gateway.socket()
    await second.rpc('eth_subscribe', 'newHeads')
    await expect(second.rpc('eth_subscribe', 'newHeads')).rejects.toMatchObject({ code: -32005 })
    await socket.close()
    await until(() => second.rpc('eth_subscribe', 'newHeads'))
    await second.close()
  })

  test('error: parameters, and HTTP', async () => {
    await start()
    for (const params of [
      [],
      ['heads'],
      ['logs', { blockHash: chain.head().hash }],
      ['logs', { fromBlock: '0x5', toBlock: '0x4' }],
      ['logs', { resumeFrom: '0x1' }],
      ['logs', {}, { resumeFrom: 'first' }],
      ['logs', {}, '0x1'],
      ['newHeads', true],
      ['logs', true],
    ])
      await expect(socket.rpc('eth_subscribe', ...params)).rejects.toMatchObject({ code: -32602 })
    for (const method of ['eth_subscribe', 'eth_unsubscribe'])
      await expect(gateway.rpc(method, 'newHeads')).rejects.toMatchObject({ code: -32601 })
  })

  test('behavior: a subscription that catches up waits for its reader', async () => {
    const big = { ...log, data: 'cd'.repeat(10_000) }
    const blocks = Array.from({ length: 200 }, () => ({ logs: [[big]] }))
    await start({ blocks, solid: 200 })
    const { subscriptions } = (await gateway.gateway.ready).contexts.full
    const reader = { sent: 0, taken: 0, most: 0 }
    const slow: RpcSocket = {
      id: 'slow',
      client: 'slow',
      send(text) {
        reader.sent += text.length
        reader.most = Math.max(reader.most, slow.buffered())
      },
      buffered: () => reader.sent - reader.taken,
      settle: () => true,
      close() {},
      onClose: () => () => {},
    }
    await subscriptions.subscribe(
      slow,
      { onDelivery: (listener) => listener(true) },
      { kind: 'logs', addresses: [], topics: [], resumeFrom: 0 },
    )
    await soon(() => expect(slow.buffered()).toBeGreaterThan(256 * 1024))
    await until(() => {
      reader.taken = reader.sent
      expect(reader.sent).toBeGreaterThan(4_000_000)
    })
    // The buffer and one more slice.
    expect(reader.most).toBeLessThan(450_000)
  })

  test('behavior: a transaction that is announced before the response is delivered comes after it', async () => {
    await start()
    const { subscriptions } = (await gateway.gateway.ready).contexts.full
    const sent: string[] = []
    const own: RpcSocket = {
      id: 'own',
      client: 'own',
      send: (text) => void sent.push(String(text)),
      buffered: () => 0,
      settle: () => true,
      close() {},
      onClose: () => () => {},
    }
    let deliver: ((delivered: boolean) => void) | undefined
    const response = { onDelivery: (listener: typeof deliver) => void (deliver = listener) }
    const id = await subscriptions.subscribe(own, response, { kind: 'newPendingTransactions' })
    const other = await socket.rpc<string>('eth_subscribe', 'newPendingTransactions')
    const hash = `0x${'01'.repeat(32)}`
    chain.pending.push('01'.repeat(32))
    await soon(() => expect(socket.of<Hash>(other)).toEqual([hash]))
    expect(sent).toEqual([])
    deliver?.(true)
    expect(sent.map((text) => JSON.parse(text) as object)).toMatchObject([
      { params: { subscription: id, result: hash } },
    ])
  })

  test('behavior: a client in debt makes no more reads for statuses', async () => {
    await start({ blocks: logBlocks(40), solid: 40, config: { ratePerClient: 1 } })
    const reads = () =>
      ['gettransactioninfobyid', 'gettransactionfrompending', 'getblockbylimitnext', 'getblock']
        .map((operation) => chain.calls.get(`/wallet/${operation}`) ?? 0)
        .reduce((sum, count) => sum + count)
    const before = reads()
    const hashes = Array.from(
      { length: 60 },
      (_, index) => `0x${(index + 1).toString(16).padStart(64, '0')}`,
    )
    await Promise.allSettled(
      hashes.map((hash) => socket.rpc('eth_subscribe', 'transactionStatus', hash)),
    )
    const { subscriptions } = (await gateway.gateway.ready).contexts.full
    expect(subscriptions.count()).toBeGreaterThan(0)
    for (let count = 0; count < 10; count++) {
      const { number } = chain.mine()
      await until(async () =>
        expect(Number(await gateway.gateway.request({ method: 'eth_blockNumber' }))).toBe(number),
      )
    }
    expect(reads() - before).toBeLessThan(100)
  })

  test('error: filters that need more memory than filters may have', async () => {
    await start({ config: { filterBytesPerClient: 100_000 } })
    const address = Array.from({ length: 300 }, () => `0x${log.address}`)
    const subscribe = () => socket.rpc('eth_subscribe', 'logs', { address })
    const first = await subscribe()
    await subscribe()
    await expect(subscribe()).rejects.toMatchObject({ code: -32005 })
    await socket.rpc('eth_unsubscribe', first)
    await subscribe()
  })

  test('behavior: stopping closes sockets with 1001', async () => {
    await start()
    await socket.rpc('eth_subscribe', 'newHeads')
    void gateway.close()
    expect(await socket.closed).toBe(1001)
  })
})
