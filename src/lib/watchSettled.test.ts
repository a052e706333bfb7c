import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { until } from '../../test/support/until.ts'
import { watchSettled } from './watchSettled.ts'

/** Watches a file that is found as the list says, one entry at each check, the last one from then on. */
async function changesOf(...found: string[]): Promise<number[]> {
  const changes: number[] = []
  let checks = 0
  const stop = watchSettled('a', () => changes.push(checks), {
    interval: 1,
    look: () => found[checks++] ?? found.at(-1) ?? '',
  })
  onTestFinished(stop)
  await until(() => expect(checks).toBeGreaterThan(found.length + 3))
  return changes
}

test('default: the file is complete when it is found alike twice', async () => {
  expect(await changesOf('old', 'old', 'new')).toEqual([4])
})

test('behavior: nothing while it is written', async () => {
  expect(await changesOf('old', 'a', 'b', 'c', 'c', 'c', 'd', 'd')).toEqual([5, 8])
})

test('behavior: a file that is away for a moment has changed once', async () => {
  expect(await changesOf('old', 'none', 'new', 'new')).toEqual([4])
})

test('behavior: a file that changes at every check is read at every tenth', async () => {
  const found = Array.from({ length: 25 }, (_, index) => `version ${index}`)
  const changes = await changesOf('old', ...found)
  expect(changes.slice(0, 2)).toEqual([11, 21])
})

test('behavior: a file that changes at every check is not read while it is empty', async () => {
  const found = Array.from({ length: 9 }, (_, index) => `version ${index}`)
  expect((await changesOf('old', ...found, '', 'again', 'again'))[0]).toBe(12)
})

test('behavior: nothing when nothing changes', async () => {
  expect(await changesOf('old', 'old', 'old')).toEqual([])
})

test('error: a file that cannot be looked at has changed, and its watcher goes on', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-watch-'))
  const path = join(directory, 'a')
  writeFileSync(path, 'old')
  let changes = 0
  const stop = watchSettled(path, () => changes++, { interval: 5 })
  onTestFinished(() => {
    stop()
    rmSync(directory, { recursive: true })
  })
  rmSync(path)
  // A link to itself: the system refuses to follow it.
  symlinkSync(path, path)
  await until(() => expect(changes).toBe(1))
  rmSync(path)
  writeFileSync(path, 'new')
  await until(() => expect(changes).toBe(2))
})
