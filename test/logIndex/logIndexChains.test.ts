import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { post } from '../support/client.ts'
import { startGateway } from '../support/gateway.ts'
import { startReplayNode } from '../support/node.ts'
import { CHAIN } from '../support/recordedChain.ts'
import { explainSkip } from '../support/redis.ts'

/** A node whose chain stands still, such as `http://127.0.0.1:9090`; its solidified state is on the next port. */
const LONG = process.env['NATIVE_LONG_URL']
const missing = LONG === undefined ? 'no NATIVE_LONG_URL names a node with a long chain' : undefined
explainSkip(missing)

/** The own JSON-RPC of that node, started without its rate limit, such as `http://127.0.0.1:9545/jsonrpc`. */
const LONG_RPC = process.env['NATIVE_LONG_RPC_URL']
const missingRpc =
  missing ?? (LONG_RPC === undefined ? 'no NATIVE_LONG_RPC_URL names its JSON-RPC' : undefined)
explainSkip(missingRpc)

/** Random searches of one run: INDEX_SEARCHES=1000 for more. */
const SEARCHES = Number(process.env['INDEX_SEARCHES'] ?? 100)

/** Rows of an answer that are compared; of more, only how many there are. */
const MOST_ROWS = 50_000

type Log = { address: string; topics: string[]; blockNumber: string; logIndex: string }
type Upstream = Pick<Config, 'upstream' | 'upstreamSolidity'>

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function start(config: Partial<Config>) {
  const started = await startGateway({
    compiled: true,
    config: {
      logsMaxBlocks: 100_000,
      logsMaxResults: 1_000_000,
      upstreamTimeout: 60_000,
      ...config,
    },
  })
  closing.push(() => started.close())
  return started
}

const hex = (value: number) => `0x${value.toString(16)}`

async function search(url: string, filter: object): Promise<Log[]> {
  const { error, result } = await post(url, 'eth_getLogs', [filter])
  if (error) throw new Error(error.message)
  return result as Log[]
}

/** The logs of some blocks by the node's own JSON-RPC: in halves, and contract by contract, where an answer cannot hold them. */
async function searchNode(
  url: string,
  { addresses, from, to }: { addresses: readonly string[]; from: number; to: number },
): Promise<Log[]> {
  const range = { fromBlock: hex(from), toBlock: hex(to) }
  const { error, result } = await post(url, 'eth_getLogs', [range])
  if (!error) return result as Log[]
  if (from < to) {
    const middle = Math.floor((from + to) / 2)
    return [
      ...(await searchNode(url, { addresses, from, to: middle })),
      ...(await searchNode(url, { addresses, from: middle + 1, to })),
    ]
  }
  const logs: Log[] = []
  for (const address of addresses) logs.push(...(await search(url, { ...range, address })))
  return logs.toSorted((a, b) => Number(a.logIndex) - Number(b.logIndex))
}

/** Fills an index from block 0 on. @returns a gateway with it. */
async function startIndexed(
  upstream: Upstream,
): Promise<{ gateway: Gateway; top: number; url: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-index-'))
  closing.push(() => rmSync(directory, { recursive: true }))
  const { gateway, url } = await start({
    ...upstream,
    index: directory,
    indexFrom: 0,
    indexRate: 10_000,
  })
  const { number } = (await post(url, 'eth_getBlockByNumber', ['finalized', false])).result as {
    number: string
  }
  const top = lastIndexable(Number(number))
  await vi.waitFor(() => expect(gateway.health().index?.covered).toEqual([{ from: 0, to: top }]), {
    timeout: 300_000,
    interval: 100,
  })
  return { gateway, top, url }
}

/** Compares a gateway with an index and one without. Random searches are looked up in a list of all logs. Returns how many there are. */
async function compare(upstream: Upstream, head: number): Promise<{ logs: number }> {
  const plain = await start(upstream)
  const { top, url } = await startIndexed(upstream)

  const all: Log[] = []
  for (let from = 0; from <= head; from += 1_000) {
    const range = { fromBlock: hex(from), toBlock: hex(Math.min(head, from + 999)) }
    const read = await search(plain.url, range)
    expect(await search(url, range)).toEqual(read)
    all.push(...read)
  }

  const { address, topic } = valuesOf(all)
  const choice = fc.option(fc.array(topic, { minLength: 1, maxLength: 5 }))
  const height = fc.oneof(fc.nat(head), fc.constantFrom(0, top - 1, top, top + 1, head))
  await fc.assert(
    fc.asyncProperty(
      fc.array(address, { maxLength: 4 }),
      fc.array(choice, { maxLength: 4 }),
      fc.tuple(height, height),
      async (addresses, topics, ends) => {
        const [from, to] = [Math.min(...ends), Math.max(...ends)]
        const filter = { fromBlock: hex(from), toBlock: hex(to), address: addresses, topics }
        const expected = all.filter(
          (log) =>
            Number(log.blockNumber) >= from &&
            Number(log.blockNumber) <= to &&
            (addresses.length === 0 || addresses.includes(log.address)) &&
            log.topics.length >= topics.length &&
            topics.every((choice, place) => !choice || choice.includes(log.topics[place] ?? '')),
        )
        // More rows than this exceed the largest response of the gateway: then only the count is compared.
        const rows = expected.length <= MOST_ROWS ? await search(url, filter) : expected
        expect(rows).toEqual(expected)
        expect((await post(url, 'ethgate_countLogs', [filter])).result).toEqual(
          hex(expected.length),
        )
      },
    ),
    { numRuns: SEARCHES },
  )
  return { logs: all.length }
}

/** Addresses and topics of a chain, rare ones as likely as busy ones, and some that never occur. */
function valuesOf(logs: readonly Log[]) {
  const addresses = new Set(logs.map(({ address }) => address))
  const topics = new Set(logs.flatMap((log) => log.topics))
  return {
    address: fc.constantFrom(...addresses, `0x${'9f'.repeat(20)}`),
    topic: fc.constantFrom(...topics, `0x${'9f'.repeat(32)}`),
  }
}

function longUpstream(): Upstream {
  const solidity = new URL(LONG ?? '')
  solidity.port = String(Number(solidity.port) + 1)
  return { upstream: LONG, upstreamSolidity: solidity.origin }
}

test('default: the recorded chain through an index equals the plain scan', async () => {
  const node = await startReplayNode()
  closing.push(() => node.close())
  const upstream = { upstream: node.url, upstreamSolidity: node.solidityUrl }
  expect((await compare(upstream, CHAIN.head)).logs).toBeGreaterThan(1_000)
}, 120_000)

test.skipIf(missing)(
  'default: the long chain through an index equals the plain scan',
  async () => {
    const upstream = longUpstream()
    const probe = await start(upstream)
    const { result } = await post(probe.url, 'eth_blockNumber')
    expect((await compare(upstream, Number(result))).logs).toBeGreaterThan(1_000)
  },
  900_000,
)

test.skipIf(missingRpc)(
  'default: every log of the long chain equals that of the node’s own JSON-RPC',
  async () => {
    const { url } = await startIndexed(longUpstream())
    const head = Number((await post(url, 'eth_blockNumber')).result)
    let count = 0
    for (let from = 0; from <= head; from += 100) {
      const to = Math.min(head, from + 99)
      const found = await search(url, { fromBlock: hex(from), toBlock: hex(to) })
      const addresses = [...new Set(found.map(({ address }) => address))]
      const expected = await searchNode(LONG_RPC ?? '', { addresses, from, to })
      // Nodes before 4.8.1 give no time of the block.
      const rows = found.map((row) => ({ ...row, blockTimestamp: undefined }))
      expect(rows).toEqual(expected.map((row) => ({ ...row, blockTimestamp: undefined })))
      count += found.length
    }
    expect(count).toBeGreaterThan(1_000)
  },
  900_000,
)
