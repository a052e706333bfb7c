import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'

import type { Config } from '../src/config.ts'
import type { Gateway } from '../src/gateway.ts'
import { lastIndexable } from '../src/logIndex/fill/units.ts'
import { loadCreateGateway } from './compiledGateway.ts'
import { post } from './gateway.ts'
import { startReplayNode } from './node.ts'
import { CHAIN } from './recordedChain.ts'
import { explainSkip } from './redis.ts'

/** A node whose chain stands still, such as `http://127.0.0.1:9090`; its solidified state is on the next port. */
const LONG = process.env['NATIVE_LONG_URL']
const missing = LONG === undefined ? 'no NATIVE_LONG_URL names a node with a long chain' : undefined
explainSkip(missing)

/** Random searches of one run: INDEX_SEARCHES=1000 for more. */
const SEARCHES = Number(process.env['INDEX_SEARCHES'] ?? 100)

/** Rows of an answer that are compared; of more, only how many there are. */
const MOST_ROWS = 50_000

type Log = { address: string; topics: string[]; blockNumber: string; logIndex: string }
type Upstream = Pick<Config, 'upstream' | 'upstreamSolidity'>

const createGateway = await loadCreateGateway()

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

async function start(config: Partial<Config>): Promise<{ gateway: Gateway; url: string }> {
  const gateway = createGateway({
    config: {
      port: 0,
      logsMaxBlocks: 100_000,
      logsMaxResults: 1_000_000,
      upstreamTimeout: 60_000,
      ...config,
    },
  })
  closing.push(() => gateway.stop())
  return { gateway, url: (await gateway.start()).url }
}

const hex = (value: number) => `0x${value.toString(16)}`

async function search(url: string, filter: object): Promise<Log[]> {
  const { error, result } = await post(url, 'eth_getLogs', [filter])
  if (error) throw new Error(error.message)
  return result as Log[]
}

/** Compares a gateway with an index and one without. Random searches are looked up in a list of all logs. Returns how many there are. */
async function compare(upstream: Upstream, head: number): Promise<{ logs: number }> {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-index-'))
  closing.push(() => rmSync(directory, { recursive: true }))
  const plain = await start(upstream)
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

test('default: the recorded chain through an index equals the plain scan', async () => {
  const node = await startReplayNode()
  closing.push(() => node.close())
  const upstream = { upstream: node.url, upstreamSolidity: node.solidityUrl }
  expect((await compare(upstream, CHAIN.head)).logs).toBeGreaterThan(1_000)
}, 120_000)

test.skipIf(missing)(
  'default: the long chain through an index equals the plain scan',
  async () => {
    const solidity = new URL(LONG ?? '')
    solidity.port = String(Number(solidity.port) + 1)
    const upstream: Upstream = { upstream: LONG, upstreamSolidity: solidity.origin }
    const probe = await start(upstream)
    const { result } = await post(probe.url, 'eth_blockNumber')
    expect((await compare(upstream, Number(result))).logs).toBeGreaterThan(1_000)
  },
  900_000,
)
