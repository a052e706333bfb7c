import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { leaveMark, takeMark } from './closedMark.ts'
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

test('error: a writer finds a damaged leaf page of a large file, unless the last one closed it', async () => {
  const { bytes, directory, path } = await someFile()
  const large = 300 * 1024 ** 2
  const isLeaf = (page: number) => bytes.readUInt16LE(page * PAGE + 18) === 0x02
  const leaves = Array.from({ length: bytes.length / PAGE }, (_, page) => page).filter(isLeaf)
  const refused = []
  for (const page of leaves.slice(0, 40)) {
    const copy = Buffer.from(bytes)
    copy.fill(0xff, page * PAGE + 20, (page + 1) * PAGE)
    writeFileSync(path, copy)
    truncateSync(path, large)
    try {
      checkLmdbFile(path, { readsAll: true })
    } catch {
      refused.push(page)
      // The roots of the tables are always read.
      const isRoot = !passes(() => checkLmdbFile(path))
      if (!isRoot) break
    }
  }
  expect(checkLmdbFile(path)).toBe(undefined)
  await expect(openEngine(directory, { isWriter: true })).rejects.toThrow(
    `the file is damaged at page ${refused.at(-1)}`,
  )

  writeFileSync(path, bytes)
  const mark = `${path}-closed`
  for (const _ of [1, 2]) {
    const engine = await openEngine(directory, { isWriter: true })
    expect(existsSync(mark)).toBe(false)
    await engine.close()
    expect(takeMark(path)).toBe(true)
    expect(takeMark(path)).toBe(false)
    leaveMark(path)
  }
  // A copy of the file over it.
  writeFileSync(path, bytes)
  expect(takeMark(path)).toBe(false)
})

function passes(run: () => void): boolean {
  try {
    run()
    return true
  } catch {
    return false
  }
}
