import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { checkLmdbFile } from './lmdbFile.ts'
import { openEngine } from './open.ts'

const PAGE = 4_096

/** The file of an index with values in leaf pages and in pages of their own, some of them removed. */
async function someFile() {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-lmdb-file-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const engine = await openEngine(directory)
  const key = (number: number) => Buffer.from(number.toString(16).padStart(8, '0'))
  for (let round = 0; round < 3; round++)
    await engine.write(async (batch) => {
      const numbers = Array.from({ length: 3_000 }, (_, index) => round * 3_000 + index)
      const entries = numbers.map((number) => ({
        key: key(number),
        value: Buffer.alloc(number % 50 === 0 ? 9_000 : 40, number),
      }))
      await batch.insert('logs', entries)
      await batch.insert('postings', entries)
      await batch.deleteRange('logs', { from: key(round * 2_000), to: key(round * 2_000 + 1_500) })
    })
  await engine.close()
  const path = join(directory, 'log-index.lmdb')
  return { bytes: readFileSync(path), directory, path }
}

test('default: a sound file, and one that does not have its first transaction yet', async () => {
  const { path } = await someFile()
  expect(() => checkLmdbFile(path)).not.toThrow()
  writeFileSync(path, '')
  expect(() => checkLmdbFile(path)).not.toThrow()
})

test('error: a file that is cut short anywhere', async () => {
  const { bytes, path } = await someFile()
  for (const length of [1, 100, PAGE, 3 * PAGE + 7, bytes.length >> 1, bytes.length - PAGE]) {
    writeFileSync(path, bytes.subarray(0, length))
    expect(() => checkLmdbFile(path)).toThrow(/^the file is (cut short|damaged|not a log index)/)
  }
})

test('error: pages that are of another place, empty or random', async () => {
  const { bytes, path } = await someFile()
  for (const spoil of [
    (page: Buffer) => page.fill(0),
    (page: Buffer) => page.fill(0x5a),
    (page: Buffer) => bytes.copy(page, 0, 0, PAGE),
  ]) {
    const copy = Buffer.from(bytes)
    for (let at = 2; at < copy.length / PAGE; at += 5)
      spoil(copy.subarray(at * PAGE, (at + 1) * PAGE))
    writeFileSync(path, copy)
    expect(() => checkLmdbFile(path)).toThrow(/^the file is damaged at page \d+$/)
  }
})

test('error: a file of something else is refused where an index is opened', async () => {
  const { directory, path } = await someFile()
  writeFileSync(path, Buffer.alloc(PAGE * 2, 'something else '))
  await expect(openEngine(directory)).rejects.toThrow('the file is not a log index')
})
