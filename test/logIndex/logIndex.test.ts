import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { createScriptedChain, type ScriptedChain, type ScriptedLog } from '../support/chain.ts'
import { post, createClient } from '../support/client.ts'
import { startGateway } from '../support/gateway.ts'
import { postgresMissing, somePostgresIndex } from '../support/postgres.ts'
import { explainSkip } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(postgresMissing)

/** Blocks of the chain before anything is indexed: a segment of 1,024, a few groups, and a window. */
const BLOCKS = 1_500
const SOLID = BLOCKS - 20

const topic = (value: number) => value.toString(16).padStart(64, '0')
const contract = (value: number) => value.toString(16).padStart(40, '0')

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

/** The logs of a block: none, a few, or many. */
function logsOf(number: number): ScriptedLog[][] {
  if (number % 3 === 0) return []
  const count = number % 97 === 1 ? 40 : number % 4
  return Array.from({ length: count }, (_, index) => [
    {
      address: contract((number + index) % 5),
      topics: Array.from({ length: (number + index) % 4 }, (_, place) =>
        topic((number * 7 + index + place) % 9),
      ),
      data: topic(number),
    },
  ])
}

async function start(upstream: string, config: Partial<Config>) {
  const started = await startGateway({
    compiled: true,
    config: { upstream, logsMaxBlocks: 300, ...config },
  })
  closing.push(() => started.close())
  return started
}

function createChain() {
  const chain = createScriptedChain()
  grow(chain, BLOCKS)
  chain.solidify(SOLID)
  return chain
}

function grow(chain: ScriptedChain, count: number) {
  for (let left = count; left > 0; left--) chain.mine({ logs: logsOf(chain.head().number + 1) })
}

const covered = (gateway: Gateway) => gateway.health().index?.covered

async function logs(url: string, filter: object): Promise<unknown> {
  const { error, result } = await post(url, 'eth_getLogs', [filter])
  return error ?? result
}

const everything = { fromBlock: '0x0', toBlock: 'latest' }
const hex = (value: number) => `0x${value.toString(16)}`

const filters = [
  everything,
  { ...everything, address: `0x${contract(2)}` },
  { ...everything, topics: [null, `0x${topic(3)}`] },
  { ...everything, topics: [[`0x${topic(1)}`, `0x${topic(5)}`], null, null] },
  { ...everything, address: [`0x${contract(0)}`, `0x${contract(4)}`], topics: [`0x${topic(4)}`] },
  { ...everything, address: `0x${'ee'.repeat(20)}` },
  { fromBlock: hex(lastIndexable(SOLID) - 1), toBlock: hex(lastIndexable(SOLID) + 1) },
  { fromBlock: hex(lastIndexable(SOLID) + 1), toBlock: 'latest' },
  { fromBlock: hex(SOLID - 1), toBlock: hex(SOLID + 1) },
  { fromBlock: hex(1_023), toBlock: hex(1_024) },
]

function someDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-index-'))
  closing.push(() => rmSync(directory, { recursive: true }))
  return directory
}

describe('lmdb', () => {
  testGateway(someDirectory)
})

describe.skipIf(postgresMissing)('postgres', () => {
  testGateway(() => {
    const index = somePostgresIndex()
    closing.push(() => index.drop())
    return index.url
  })
})

/** The tests of a gateway with an index, for both engines. */
function testGateway(someIndex: () => string): void {
  test('default: searches equal those without an index, follow the chain, and survive a restart', async () => {
    const chain = createChain()
    const node = await chain.listen()
    closing.push(() => node.close())
    const index = someIndex()
    const plain = await start(node.url, { logsMaxBlocks: 10_000 })
    const { gateway, url } = await start(node.url, {
      index,
      indexFrom: 0,
      indexRate: 10_000,
    })

    await until(() => expect(covered(gateway)).toEqual([{ from: 0, to: lastIndexable(SOLID) }]))
    for (const filter of filters)
      expect(await logs(url, filter)).toEqual(await logs(plain.url, filter))

    // The tail is followed, and a reorg above the solidified block changes what comes after the index.
    grow(chain, 200)
    chain.reorg(5, [{ logs: logsOf(1) }, { logs: logsOf(2) }, {}, {}, { logs: logsOf(98) }, {}])
    chain.solidify(SOLID + 190)
    await until(() =>
      expect(covered(gateway)).toEqual([{ from: 0, to: lastIndexable(SOLID + 190) }]),
    )
    await until(async () => {
      const head = chain.head().number
      for (const { url: each } of [plain, { url }])
        expect((await post(each, 'eth_blockNumber')).result).toBe(hex(head))
    })
    for (const filter of filters)
      expect(await logs(url, filter)).toEqual(await logs(plain.url, filter))

    await gateway.stop()
    const read = chain.calls.get('/wallet/gettransactioninfobyblocknum') ?? 0
    const again = await start(node.url, { index, indexFrom: 0 })
    await until(() => expect(again.gateway.health().index?.state).toBe('following'))
    expect(await logs(again.url, { ...everything, toBlock: hex(1_023) })).toEqual(
      await logs(plain.url, { ...everything, toBlock: hex(1_023) }),
    )
    // Indexed blocks are not read again, only the blocks near the head.
    expect((chain.calls.get('/wallet/gettransactioninfobyblocknum') ?? 0) - read).toBeLessThan(300)
  })

  test('error: too many logs, with the longest range that fits', async () => {
    const chain = createChain()
    const node = await chain.listen()
    closing.push(() => node.close())
    const { gateway, url } = await start(node.url, {
      index: someIndex(),
      indexFrom: 0,
      indexRate: 10_000,
      logsMaxResults: 500,
    })
    await until(() =>
      expect(covered(gateway)?.[0]).toMatchObject({ from: 0, to: lastIndexable(SOLID) }),
    )
    const error = (await logs(url, everything)) as {
      code: number
      data: { from: string; to: string }
    }
    expect(error).toMatchObject({
      code: -32005,
      message: 'query returned more than 500 results',
    })
    const { from, to } = error.data
    const fits = (await logs(url, { fromBlock: from, toBlock: to })) as unknown[]
    expect(fits.length).toBeLessThanOrEqual(500)
    const more = await logs(url, { fromBlock: from, toBlock: hex(Number(to) + 1) })
    expect(more).toMatchObject({ code: -32005 })
  })
}

test('behavior: filters and subscriptions resume from long ago', async () => {
  const chain = createChain()
  const node = await chain.listen()
  closing.push(() => node.close())
  const { gateway, url } = await start(node.url, {
    index: someDirectory(),
    indexFrom: 0,
    indexRate: 10_000,
  })
  await until(() => expect(covered(gateway)).toEqual([{ from: 0, to: lastIndexable(SOLID) }]))
  const http = createClient(url)
  const topics = [null, `0x${topic(3)}`]
  const infos = () => chain.calls.get('/wallet/gettransactioninfobyblocknum') ?? 0
  const before = infos()

  // More blocks than one search may read from the node.
  const filter = await http.rpc('eth_newFilter', { ...everything, topics })
  const ofFilter = await http.rpc<object[]>('eth_getFilterLogs', filter)
  const client = await http.socket()
  closing.push(() => client.close())
  const id = await client.rpc<string>('eth_subscribe', 'logs', { topics }, { resumeFrom: '0x0' })
  await until(() => expect(client.of(id).length).toBe(ofFilter.length))

  const expected = chain
    .canonical()
    .flatMap(({ hash, number }) =>
      number === 0
        ? []
        : logsOf(number).flatMap(([log], index) =>
            log?.topics[1] === topic(3) ? [`${hash} ${hex(index)}`] : [],
          ),
    )
  expect(expected.length).toBeGreaterThan(100)
  for (const found of [ofFilter, client.of<object>(id)])
    expect(
      (found as { blockHash: string; logIndex: string }[]).map(
        ({ blockHash, logIndex }) => `${blockHash} ${logIndex}`,
      ),
    ).toEqual(expected)
  // Only blocks above the index are read, each once.
  expect(infos() - before).toBeLessThanOrEqual(BLOCKS - lastIndexable(SOLID))
})

test('error: blocks that are not indexed count, and what is indexed is named', async () => {
  const chain = createChain()
  const node = await chain.listen()
  closing.push(() => node.close())
  const directory = someDirectory()
  const { gateway, url } = await start(node.url, {
    index: directory,
    indexFrom: 1_024,
    indexRate: 10_000,
  })
  await until(() => expect(covered(gateway)).toEqual([{ from: 1_024, to: lastIndexable(SOLID) }]))
  expect(await logs(url, everything)).toMatchObject({
    code: -32602,
    message: 'exceed max block range: 300',
    data: {
      from: '0x0',
      to: hex(300),
      indexed: [{ from: '0x400', to: hex(lastIndexable(SOLID)) }],
    },
  })
  expect(await logs(url, { fromBlock: hex(900), toBlock: 'latest' })).toBeInstanceOf(Array)
})

test('error: an index of another chain is refused, and searches go to the node', async () => {
  const index = someDirectory()
  const [one, other] = ['one', 'other'].map((seed) => {
    const chain = createScriptedChain({ seed })
    grow(chain, 300)
    chain.solidify(290)
    return chain
  }) as [ScriptedChain, ScriptedChain]
  const options = { index, indexFrom: 0, indexRate: 10_000 }
  const first = await one.listen()
  closing.push(() => first.close())
  const { gateway } = await start(first.url, options)
  await until(() => expect(covered(gateway)?.length).toBe(1))
  await gateway.stop()

  const second = await other.listen()
  closing.push(() => second.close())
  const wrong = await start(second.url, options)
  await until(() => expect(wrong.gateway.health().reasons.join()).toContain('another chain'))
  const found = (await logs(wrong.url, everything)) as { blockHash: string }[]
  expect(new Set(found.map(({ blockHash }) => blockHash))).toEqual(
    new Set(other.canonical().flatMap(({ hash, logs }) => (logs.length > 0 ? [hash] : []))),
  )
})
