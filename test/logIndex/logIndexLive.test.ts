import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, onTestFinished, test } from 'vitest'

import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { createScriptedChain, type Script } from '../support/chain.ts'
import { post } from '../support/client.ts'
import { startGateway } from '../support/gateway.ts'
import { directory, postgres } from '../support/indexPlaces.ts'
import { isLong } from '../support/long.ts'
import { postgresMissing } from '../support/postgres.ts'
import { explainSkip } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(postgresMissing)

/** Blocks at the start, and steps of the chain while searches run. Some groups of 64 blocks are indexed meanwhile. */
const BLOCKS = 400
const STEPS = isLong ? 2_000 : 300
const CLIENTS = 3

/** Blocks between the head and the solidified block. Reorgs are less deep. */
const DEPTH = 12

type Row = { transactionHash: string; logIndex: string }

/** The logs of each block with its ancestors, as one hash, and when the block was new. */
function createHistory(chain: ReturnType<typeof createScriptedChain>) {
  const moments = new Map<string, number[]>()
  let count = 0
  const remember = (logs: string, moment: number) =>
    moments.set(logs, [...(moments.get(logs) ?? []), moment])
  return {
    /** Notes the newest blocks of the chain. A reader may see any of them as the head. */
    note(blocks: number) {
      const logs = chain.canonical().map(keysOf)
      for (let end = logs.length - blocks + 1; end <= logs.length; end++)
        remember(hashOf(logs.slice(0, end).flat()), ++count)
    },
    /** The first moment at or after another one with these logs; undefined when there is none. */
    momentOf: (rows: readonly Row[], since: number) =>
      moments.get(hashOf(rows.map(keyOf)))?.find((moment) => moment >= since),
    latest: () => count,
  }
}

/** The transaction of each log of a block, and its index in the block. */
function keysOf({ logs }: { logs: string[] }): string[] {
  return logs.map((log, index) => `${log.split(':')[0]}:${index}`)
}

const keyOf = ({ logIndex, transactionHash }: Row) => `${transactionHash}:${Number(logIndex)}`
const hashOf = (logs: readonly string[]) => hash('sha256', logs.join())

let seed = 7
/** A number below `limit`, the same in every run. */
function pick(limit: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((seed / 2 ** 32) * limit)
}

function someBlock(): Script {
  const address = '11'.repeat(20)
  return {
    logs: Array.from({ length: pick(3) }, () =>
      Array.from({ length: pick(3) }, () => ({ address, topics: [] })),
    ),
  }
}

/**
 * Searches all blocks while blocks are added, replaced and solidified. Each answer must be exactly the logs of a chain that there was:
 * none is lost or repeated where the index ends and the window begins, and no client goes back to an earlier chain.
 *
 * @returns the answers of which that is not true.
 */
async function searchWhileItGrows(index: string): Promise<unknown[]> {
  const chain = createScriptedChain()
  const history = createHistory(chain)
  for (let block = 0; block < BLOCKS; block++) {
    chain.mine(someBlock())
    history.note(1)
  }
  chain.solidify(BLOCKS - DEPTH)
  const node = await chain.listen()
  onTestFinished(() => node.close())
  const { gateway, url } = await startGateway({
    compiled: true,
    config: { index, indexFrom: 0, indexRate: 10_000, upstream: node.url },
  })
  const covered = () => gateway.health().index?.covered
  await until(() => expect(covered()).toEqual([{ from: 0, to: lastIndexable(BLOCKS - DEPTH) }]))

  const growth = { isOver: false }
  let answers = 0
  const unknown: unknown[] = []
  async function search(): Promise<void> {
    let seen = 0
    while (!growth.isOver) {
      const { error, result } = await post(url, 'eth_getLogs', [
        { fromBlock: '0x0', toBlock: 'latest' },
      ])
      // A search may fail while blocks are replaced, but only openly.
      if (error) {
        expect(error.code).toBe(-32603)
        continue
      }
      const moment = history.momentOf(result as Row[], seen)
      answers += 1
      if (moment === undefined) unknown.push(result)
      else seen = moment
    }
  }

  async function grow(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      const depth = pick(4) === 0 ? 1 + pick(DEPTH - 2) : 0
      // A branch that replaces another one is longer.
      if (depth > 0) chain.reorg(depth, Array.from({ length: depth + 1 }, someBlock))
      else chain.mine(someBlock())
      history.note(depth + 1)
      chain.solidify(chain.head().number - DEPTH)
      await sleep(10 + pick(20))
    }
    await until(() => expect(answers).toBeGreaterThan(CLIENTS))
    growth.isOver = true
  }

  await Promise.all([grow(), ...Array.from({ length: CLIENTS }, search)])
  const solid = chain.head().number - DEPTH
  expect(lastIndexable(solid)).toBeGreaterThan(lastIndexable(BLOCKS - DEPTH))
  await until(async () => {
    expect(covered()).toEqual([{ from: 0, to: lastIndexable(solid) }])
    const { result } = await post(url, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: 'latest' }])
    expect(history.momentOf(result as Row[], history.latest())).toBe(history.latest())
  })
  return unknown
}

test('behavior: searches over index and window see one chain at any moment: lmdb', async () => {
  expect(await searchWhileItGrows(directory())).toEqual([])
})

test.skipIf(postgresMissing)(
  'behavior: searches over index and window see one chain at any moment: postgres',
  async () => expect(await searchWhileItGrows(postgres())).toEqual([]),
)
