import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'

import { sleep } from '../../src/lib/sleep.ts'
import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { createScriptedChain, type ScriptedChain } from '../support/chain.ts'
import { commandFile } from '../support/cli.ts'
import { startGateway } from '../support/gateway.ts'
import { readHistory, scanHistories } from '../support/histories.ts'
import { directory, postgres } from '../support/indexPlaces.ts'
import { postgresMissing } from '../support/postgres.ts'
import { explainSkip } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(postgresMissing)

const BLOCKS = 700
/** Blocks between the head and the solidified block. Reorgs are less deep. */
const DEPTH = 12
const KILLS = 4
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

const word = (number: number) => number.toString(16).padStart(64, '0')

let seed = 11
/** A number below `limit`, the same in every run. */
function pick(limit: number): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
  return Math.floor((seed / 2 ** 32) * limit)
}

/** Up to two transactions, each with up to two transfers between few accounts. */
const someBlock = () => ({
  logs: Array.from({ length: pick(3) }, () =>
    Array.from({ length: pick(3) }, () => ({
      address: '11'.repeat(20),
      topics: [TRANSFER, word(1 + pick(9)), word(1 + pick(9))],
    })),
  ),
})

/** Fills the index and kills the process after some calls to the node. */
async function fillAndKill(index: string, url: string, chain: ScriptedChain, calls: number) {
  const filling = spawn(
    process.execPath,
    [commandFile(), 'index', '--index', index, '--upstream', url, '--from', '0', '--quiet'],
    { stdio: 'ignore' },
  )
  const ended = once(filling, 'exit')
  const start = chain.total()
  while (filling.exitCode === null && chain.total() < start + calls) await sleep(2)
  filling.kill('SIGKILL')
  await ended
}

/** Compares the history of every account with a plain scan. @returns the number of accounts */
async function compare(url: string, node: string, head: number): Promise<number> {
  const { histories } = await scanHistories(node, { from: 0, to: head })
  for (const [account, own] of histories) {
    const expected = [...own].map(([hash, kinds]) => ({ hash, kinds: [...kinds].toSorted() }))
    for (const order of ['newest', 'oldest'] as const) {
      const found = await readHistory(url, account, { limit: 50, order })
      const history = found.map(({ hash, kinds }) => ({ hash, kinds: kinds.toSorted() }))
      expect({ account, order, history }).toEqual({ account, order, history: expected })
    }
  }
  return histories.size
}

const PLACES = [
  ['lmdb', directory],
  ...(postgresMissing ? [] : [['postgres', postgres] as const]),
] as const

test.each(PLACES)(
  'behavior: through kills while it fills, reorgs and a restart every history equals a plain scan: %s',
  async (_engine, place) => {
    const chain = createScriptedChain()
    for (let block = 0; block < BLOCKS; block++) chain.mine(someBlock())
    chain.solidify(BLOCKS - DEPTH)
    const node = await chain.listen()
    onTestFinished(() => node.close())
    const index = place()
    for (let kill = 0; kill < KILLS; kill++)
      await fillAndKill(index, node.url, chain, 30 + kill * 170)

    const start = () =>
      startGateway({
        chain,
        compiled: true,
        config: { index, indexFrom: 0, indexRate: 10_000, upstream: node.url },
      })
    const isFilled = ({ gateway }: Awaited<ReturnType<typeof start>>) =>
      until(() =>
        expect(gateway.health()).toMatchObject({
          head: { number: chain.head().number },
          index: { accounts: [{ from: 0, to: lastIndexable(chain.head().number - DEPTH) }] },
        }),
      )
    const first = await start()
    await isFilled(first)
    expect(await compare(first.url, node.url, chain.head().number)).toBeGreaterThan(9)

    for (let step = 0; step < 100; step++) {
      const depth = pick(4) === 0 ? 1 + pick(DEPTH - 2) : 0
      // A branch that replaces another one is longer.
      if (depth > 0) chain.reorg(depth, Array.from({ length: depth + 1 }, someBlock))
      else chain.mine(someBlock())
      chain.solidify(chain.head().number - DEPTH)
    }
    await isFilled(first)
    await compare(first.url, node.url, chain.head().number)
    await first.close()

    const second = await start()
    await isFilled(second)
    expect(await compare(second.url, node.url, chain.head().number)).toBeGreaterThan(9)
  },
)
