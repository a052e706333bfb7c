import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { openEngine } from '../../src/logIndex/engine/open.ts'
import type { IndexBlock } from '../../src/logIndex/format/block.ts'
import { openFacts } from '../../src/logIndex/store/facts.ts'
import { createIndexStore } from '../../src/logIndex/store/store.ts'
import { createScriptedChain, type ScriptedChain } from '../support/chain.ts'
import { commandFile } from '../support/cli.ts'
import { word } from '../support/indexBlocks.ts'
import { until } from '../support/until.ts'

const UNIT = 1_024
const MERGED = 64 * UNIT
/** Lists of its own that each unit has, so that a merge takes a second or more. */
const LISTS = 2_000

/** Blocks of a chain with made-up logs in the first block of the unit: each log has a topic that no other log has. */
function unitOf(chain: ReturnType<ScriptedChain['canonical']>, from: number): IndexBlock[] {
  return chain.slice(from, from + UNIT).map(({ hash, number, parentHash, timestamp }) => ({
    number,
    hash: hash.slice(2),
    parentHash: parentHash.slice(2),
    timestamp: timestamp / 1_000,
    logs: Array.from({ length: number === from ? LISTS : 0 }, (_, index) => ({
      index,
      transactionIndex: 0,
      transactionHash: word(number),
      address: '11'.repeat(20),
      topics: [word(from * LISTS + index)],
      data: '',
    })),
    transactions: [],
  }))
}

/** Whether a merge has begun and has not ended, as another process sees it. */
async function isMerging(index: string): Promise<boolean> {
  const engine = await openEngine(index)
  try {
    const [progress] = await engine.read((view) => view.get('facts', [Buffer.from('merge')]))
    return progress !== undefined
  } finally {
    await engine.close()
  }
}

test('behavior: SIGTERM during a large merge ends the process in time', async () => {
  const chain = createScriptedChain()
  for (let number = 1; number < MERGED + 200; number++) chain.mine()
  chain.solidify(MERGED + 150)
  const node = await chain.listen()
  const index = mkdtempSync(join(tmpdir(), 'ethgate-index-shutdown-'))
  onTestFinished(async () => {
    await node.close()
    rmSync(index, { recursive: true })
  })
  const engine = await openEngine(index)
  const facts = await openFacts(engine, { genesis: chain.genesis.slice(2) })
  const store = createIndexStore({ engine, facts })
  const blocks = chain.canonical()
  for (let at = 0; at < MERGED; at += UNIT) await store.append(1, unitOf(blocks, at))
  await engine.close()

  const child = spawn(
    process.execPath,
    [commandFile(), 'serve', '--upstream', node.url, '--port', '0', '--index', index].concat([
      '--index-from',
      '0',
      '--drain',
      '3000',
      '--drain-delay',
      '0',
      '--log-level',
      'error',
    ]),
    { stdio: 'ignore' },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const exit = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  await until(async () => expect(await isMerging(index)).toBe(true))
  child.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
  // It ended in the middle of the merge.
  expect(await isMerging(index)).toBe(true)
})
