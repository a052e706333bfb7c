import { Contract, JsonRpcProvider, WebSocketProvider } from 'ethers'
import {
  createPublicClient,
  defineChain,
  encodeAbiParameters,
  encodeEventTopics,
  http,
  parseAbi,
  webSocket,
} from 'viem'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'

import { createScriptedChain, type Script, type ScriptedChain } from '../support/chain.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

const abi = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)'])
const address = `0x${'33'.repeat(20)}` as const
const from = `0x${'0a'.repeat(20)}` as const
const to = `0x${'0b'.repeat(20)}` as const

/** A block with one Transfer of each value, each in a separate transaction. */
const transfers = (...values: bigint[]): Script => ({
  logs: values.map((value) => [
    {
      address: address.slice(2),
      topics: encodeEventTopics({ abi, eventName: 'Transfer', args: { from, to } }).map((topic) =>
        String(topic).slice(2),
      ),
      data: encodeAbiParameters([{ type: 'uint256' }], [value]).slice(2),
    },
  ]),
})

let chain: ScriptedChain
let gateway: TestGateway
let cleanups: (() => unknown)[]

beforeEach(async () => {
  chain = createScriptedChain()
  chain.mine()
  gateway = await startGateway({ chain })
  cleanups = []
})
afterEach(async () => {
  for (const clean of cleanups.toReversed()) await clean()
  await gateway.close()
})

const soon = (check: () => unknown) => until(check)
const wsUrl = () => gateway.url.replace('http', 'ws')

/** Waits until the gateway has the filters or subscriptions that a client makes. */
const watched = (kind: 'http' | 'webSocket', count = 1) =>
  soon(async () => {
    const { subscriptions } = (await gateway.gateway.ready).contexts.full
    const made = kind === 'http' ? gateway.gateway.health().filters.count : subscriptions.count()
    expect(made).toBe(count)
  })

/** Waits until a client has polled. */
const polled = (method: string) =>
  soon(async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    const count = new RegExp(`_count\\{method="${method}"\\} (\\d+)`).exec(metrics)?.[1]
    expect(Number(count)).toBeGreaterThan(1)
  })

/** Waits until a client has its first block over HTTP, or its subscription. */
const begun = (kind: 'http' | 'webSocket', seen: string[]) =>
  kind === 'http' ? soon(() => expect(seen).toHaveLength(1)) : watched(kind)

async function viemClient(kind: 'http' | 'webSocket') {
  const id = Number(await gateway.rpc('eth_chainId'))
  const transport = kind === 'http' ? http(gateway.url) : webSocket(wsUrl())
  const client = createPublicClient({
    chain: defineChain({
      id,
      name: 'scripted',
      nativeCurrency: { decimals: 6, name: 'Coin', symbol: 'COIN' },
      rpcUrls: { default: { http: [gateway.url] } },
    }),
    pollingInterval: 60,
    transport,
  })
  if (kind === 'webSocket')
    cleanups.push(async () => {
      const socket = await (
        client.transport as unknown as { getRpcClient(): Promise<{ close(): void }> }
      ).getRpcClient()
      socket.close()
    })
  return client
}

describe.each(['http', 'webSocket'] as const)('viem over %s', (kind) => {
  test('default: watchBlocks sees every block in order', async () => {
    const client = await viemClient(kind)
    const seen: string[] = []
    cleanups.push(
      client.watchBlocks({ emitMissed: true, onBlock: ({ hash }) => void seen.push(hash ?? '') }),
    )
    await begun(kind, seen)
    const before = seen.length
    const blocks = []
    for (let count = 0; count < 4; count++) {
      blocks.push(chain.mine())
      await soon(() => expect(seen.length).toBe(before + blocks.length))
    }
    expect(seen.slice(before)).toEqual(blocks.map(({ hash }) => hash))
  })

  test('default: watchEvent has each event once, and those that a reorg removes', async () => {
    const client = await viemClient(kind)
    const seen: string[] = []
    cleanups.push(
      client.watchEvent({
        address,
        event: abi[0],
        onLogs: (logs) =>
          void seen.push(...logs.map(({ args, removed }) => `${removed ? '-' : '+'}${args.value}`)),
      }),
    )
    await watched(kind)
    chain.mine(transfers(1n, 2n))
    await soon(() => expect(seen).toEqual(['+1', '+2']))
    chain.mine(transfers(2n ** 60n))
    await soon(() => expect(seen).toHaveLength(3))
    chain.reorg(2, [transfers(3n), {}, transfers(4n)])
    await soon(() => expect(seen).toHaveLength(8))
    expect(seen).toEqual(['+1', '+2', `+${2n ** 60n}`, `-${2n ** 60n}`, '-2', '-1', '+3', '+4'])
  })

  test('default: watchPendingTransactions has each hash once', async () => {
    const client = await viemClient(kind)
    const seen: string[] = []
    cleanups.push(
      client.watchPendingTransactions({ onTransactions: (hashes) => void seen.push(...hashes) }),
    )
    await watched(kind)
    chain.pending.push('01'.repeat(32), '02'.repeat(32))
    await soon(() => expect(seen).toHaveLength(2))
    chain.pending.push('03'.repeat(32))
    await soon(() => expect(seen).toEqual(chain.pending.map((hash) => `0x${hash}`)))
    // The last one is mined before any poll of the pool could see it.
    const ids = ['01', '02', '03', '04'].map((byte) => byte.repeat(32))
    chain.pending.splice(0)
    chain.mine({ ids, logs: ids.map(() => []) })
    await soon(() => expect(seen).toEqual(ids.map((hash) => `0x${hash}`)))
  })
})

test('viem: creates an expired filter again', async () => {
  const client = await viemClient('http')
  const seen: bigint[] = []
  cleanups.push(
    client.watchEvent({
      address,
      event: abi[0],
      onLogs: (logs) => void seen.push(...logs.map(({ args }) => args.value ?? 0n)),
    }),
  )
  await watched('http')
  const context = (await gateway.gateway.ready).contexts.full
  const polls = vi.spyOn(context.filters, 'changes')
  await soon(() => expect(polls).toHaveBeenCalled())
  const id = polls.mock.calls[0]?.[0]
  polls.mockRestore()
  expect(await gateway.rpc('eth_uninstallFilter', id)).toBe(true)
  await watched('http')
  chain.mine(transfers(7n))
  await soon(() => expect(seen).toEqual([7n]))
})

describe.each(['http', 'webSocket'] as const)('ethers over %s', (kind) => {
  async function ethersProvider() {
    const provider =
      kind === 'http'
        ? new JsonRpcProvider(gateway.url, undefined, { pollingInterval: 60 })
        : new WebSocketProvider(() => new WebSocket(wsUrl()))
    cleanups.push(() => {
      // A poll of a filter that is in flight would start the timers of a destroyed provider again.
      if (provider instanceof JsonRpcProvider) provider.pause()
      return provider.destroy()
    })
    // ethers cannot deliver a notification that comes before it knows its network.
    await provider.getNetwork()
    return provider
  }

  test('default: provider.on block and contract.on have each block and event once', async () => {
    const provider = await ethersProvider()
    const blocks: number[] = []
    const events: string[] = []
    await provider.on('block', (number: number) => blocks.push(number))
    const contract = new Contract(
      address,
      ['event Transfer(address indexed from, address indexed to, uint256 value)'],
      provider,
    )
    await contract.on('Transfer', (_from, _to, value: bigint) => events.push(String(value)))
    await watched(kind, kind === 'http' ? 1 : 2)
    if (kind === 'http') await polled('eth_blockNumber')
    blocks.length = 0
    for (const value of [1n, 2n, 3n]) {
      const { number } = chain.mine(transfers(value, value * 10n))
      await soon(() => expect(blocks).toContain(number))
    }
    await soon(() => expect(events).toHaveLength(6))
    expect(events).toEqual(['1', '10', '2', '20', '3', '30'])
    expect(blocks).toEqual([2, 3, 4])
  })

  test('default: pending transactions', async () => {
    const provider = await ethersProvider()
    const seen: string[] = []
    await provider.on('pending', (hash: string) => seen.push(hash))
    await watched(kind)
    if (kind === 'http') await polled('eth_blockNumber')
    chain.pending.push('05'.repeat(32))
    await soon(() => {
      // Over HTTP ethers polls its filters when a block comes.
      chain.mine()
      expect(seen).toEqual([`0x${'05'.repeat(32)}`])
    })
  })
})
