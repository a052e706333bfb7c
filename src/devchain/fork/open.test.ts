import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openFork } from './open.ts'

const HASH = 'ab'.repeat(32)

/** A node whose newest block and genesis block have these ids and this number. */
const transportOf = ({ genesis = HASH, id = HASH, number = 5 as unknown }) => ({
  send: async (path: string, body?: string) => {
    const isGenesis = body?.includes('"0"') === true || body?.includes(':0') === true
    const block = {
      blockID: isGenesis ? genesis : id,
      block_header: { raw_data: { number: isGenesis ? 0 : number, timestamp: 1_000 } },
    }
    return { status: 200, text: JSON.stringify(path.includes('block') ? block : {}) }
  },
  close: async () => undefined,
})

test.each([
  { id: '../../../../../../tmp/escaped' },
  { id: `${'ab'.repeat(28)}/../../x` },
  { genesis: `${'ab'.repeat(28)}/../../x` },
  { number: '../../../x' },
])('error: a node that answers %j names no file', async (answers) => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-fork-'))
  const cache = join(folder, 'a', 'b', 'c')
  const transport = transportOf(answers)
  await expect(openFork({ cache, transport, urls: [] })).rejects.toThrow(
    /malformed|no hash|unknown format/,
  )
  expect(readdirSync(folder)).toEqual([])
  rmSync(folder, { recursive: true })
})
