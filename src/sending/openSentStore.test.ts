import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { openSentStore } from './openSentStore.ts'

let folder: string
let warnings: string[]
const log = {
  error: (message: string) => void warnings.push(message),
  warn: (message: string) => void warnings.push(message),
}

beforeEach(async () => {
  warnings = []
  folder = await mkdtemp(join(tmpdir(), 'ethgate-data-'))
  vi.stubEnv('XDG_STATE_HOME', folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true })
})

const open = (options: Partial<openSentStore.Options> = {}) =>
  openSentStore({
    chainId: 0xabc,
    dataDir: undefined,
    genesis: '0x01',
    hasKeys: true,
    isInProcess: false,
    isNew: true,
    log,
    native: {} as never,
    redis: undefined,
    ...options,
  })

const recorded = () => readFile(join(folder, 'ethgate', 'abc', 'sent.jsonl'), 'utf8')

test('default: with managed keys, a file in the state folder of the user', async () => {
  const opened = await open()
  expect(await recorded()).toBe('{"ethgate":"sent","version":1,"genesis":"0x01"}\n')
  await opened.close()
  expect(warnings).toEqual([])
})

test('args: a named folder is used also without managed keys', async () => {
  const opened = await open({
    dataDir: join(folder, 'ethgate'),
    hasKeys: false,
    isInProcess: true,
  })
  expect(await recorded()).toContain('"genesis"')
  await opened.close()
})

test('args: none keeps the record in memory and logs a warning', async () => {
  await open({ dataDir: 'none' })
  await expect(recorded()).rejects.toThrow('ENOENT')
  expect(warnings).toEqual([expect.stringContaining('in memory only (--data-dir none)')])
})

test('behavior: no file without managed keys, or for a chain in this process', async () => {
  await open({ hasKeys: false })
  await open({ isInProcess: true })
  await expect(recorded()).rejects.toThrow('ENOENT')
  expect(warnings).toEqual([])
})

test('error: a second process on the same folder', async () => {
  const opened = await open()
  await expect(open()).rejects.toThrow(/another process uses .*replicas of one chain share a Redis/)
  await opened.close()
})

test('error: a folder that cannot be created', async () => {
  await expect(open({ dataDir: '/dev/null' })).rejects.toThrow(
    /sent transactions cannot be recorded in \/dev\/null.*--data-dir/,
  )
})
