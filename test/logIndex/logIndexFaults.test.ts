import { mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import type { Gateway } from '../../src/gateway/gateway.ts'
import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { createScriptedChain, type ScriptedChain } from '../support/chain.ts'
import { post } from '../support/client.ts'
import { startGateway } from '../support/gateway.ts'
import { directory } from '../support/indexPlaces.ts'
import { postgresMissing, somePostgresIndex } from '../support/postgres.ts'
import { until } from '../support/until.ts'

const BLOCKS = 300

const everything = { fromBlock: '0x0', toBlock: 'latest' }

/** One log for each block. */
const scripts = (count: number, address: string) =>
  Array.from({ length: count }, () => ({ logs: [[{ address: address.repeat(20), topics: [] }]] }))

function createChain(): ScriptedChain {
  const chain = createScriptedChain()
  for (const script of scripts(BLOCKS, '11')) chain.mine(script)
  chain.solidify(BLOCKS)
  return chain
}

async function start(chain: ScriptedChain, index: string) {
  const node = await chain.listen()
  onTestFinished(() => node.close())
  return startGateway({
    compiled: true,
    config: { index, indexFrom: 0, indexRate: 10_000, upstream: node.url },
  })
}

/** Waits until the index has all that can be indexed. */
async function filled(gateway: Gateway, solid: number) {
  const covered = [{ from: 0, to: lastIndexable(solid) }]
  await until(() => expect(gateway.health().index).toMatchObject({ covered, state: 'following' }))
}

/** Block hashes of the logs of a search. */
async function search(url: string): Promise<string[]> {
  const { error, result } = await post(url, 'eth_getLogs', [everything])
  expect(error).toBe(undefined)
  return (result as { blockHash: string }[]).map(({ blockHash }) => blockHash)
}

const hashesOf = (chain: ScriptedChain) =>
  chain
    .canonical()
    .slice(1)
    .map(({ hash }) => hash)

test('behavior: a chain that was reset to the same block 0 and another block 1', async () => {
  const chain = createChain()
  const { gateway, url } = await start(chain, directory())
  await filled(gateway, BLOCKS)
  expect(await search(url)).toEqual(hashesOf(chain))
  chain.reorg(BLOCKS, scripts(BLOCKS + 20, '22'))
  chain.solidify(BLOCKS + 20)
  await until(async () => {
    const { result } = await post(url, 'eth_blockNumber')
    expect(result).toBe(`0x${(BLOCKS + 20).toString(16)}`)
  })
  // From the moment at which the head has the new chain no answer has a log of the old one.
  const expected = hashesOf(chain)
  expect(await search(url)).toEqual(expected)
  await until(async () => {
    expect(await search(url)).toEqual(expected)
    expect(gateway.health().index).toMatchObject({ logs: lastIndexable(BLOCKS + 20) })
  })
  await filled(gateway, BLOCKS + 20)
  expect(await search(url)).toEqual(expected)
})

test('behavior: an index is kept while the node lacks its blocks, and used when it has them', async () => {
  const chain = createChain()
  const index = directory()
  const before = await start(chain, index)
  await filled(before.gateway, BLOCKS)
  await before.gateway.stop()

  chain.faults.lag = 150
  const { gateway, url } = await start(chain, index)
  const problem = `the log index: the node does not have the solidified block ${lastIndexable(BLOCKS)}, whose logs are indexed: the index is kept and not used until the node has it`
  await until(() => expect(gateway.health().reasons).toContain(problem))
  await until(() =>
    expect(gateway.health().index).toMatchObject({ covered: [], logs: lastIndexable(BLOCKS) }),
  )
  expect(await search(url)).toEqual(hashesOf(chain).slice(0, BLOCKS - 150))
  chain.faults.lag = 0
  await filled(gateway, BLOCKS)
  await until(() => expect(gateway.health().reasons).toEqual([]))
  // The head catches up in several steps.
  await until(async () => expect(await search(url)).toEqual(hashesOf(chain)))
})

for (const [name, damage] of [
  ['is cut short', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2))],
  ['is no index', (file: string) => writeFileSync(file, Buffer.alloc(100_000, 7))],
] as const)
  test(`error: the gateway serves without an index whose file ${name}`, async () => {
    const chain = createChain()
    const index = directory()
    const before = await start(chain, index)
    await filled(before.gateway, BLOCKS)
    await before.gateway.stop()
    damage(join(index, 'log-index.lmdb'))
    const { gateway, url } = await start(chain, index)
    await until(() => expect(gateway.health().index?.state).toBe('failed'))
    expect(gateway.health().reasons.join()).toContain('cannot be opened: the file is')
    expect(await search(url)).toEqual(hashesOf(chain))
  })

test.skipIf(postgresMissing)(
  'error: an index that can no longer be read is logged once',
  async () => {
    const chain = createChain()
    const index = somePostgresIndex()
    onTestFinished(() => index.drop())
    const { gateway, lines } = await start(chain, index.url)
    await filled(gateway, BLOCKS)
    await index.drop()
    await until(() => expect(gateway.health().index?.state).toBe('failed'))
    expect(lines.filter(({ msg }) => msg === 'the log index failed')).toHaveLength(1)
  },
)

test('behavior: /health is ok again after an index that could not be opened works', async () => {
  const chain = createChain()
  const folder = join(directory(), 'index')
  writeFileSync(folder, 'a file in place of the directory')
  const { gateway } = await start(chain, folder)
  await until(() => expect(gateway.health().index?.state).toBe('failed'))
  rmSync(folder)
  mkdirSync(folder)
  await filled(gateway, BLOCKS)
  await until(() => expect(gateway.health().reasons).toEqual([]))
})
