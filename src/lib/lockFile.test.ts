import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { beforeEach, expect, onTestFinished, test } from 'vitest'

import { compileModule } from '../../test/support/compileModule.ts'
import { FileInUseError, lockFile } from './lockFile.ts'

let file: string

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  file = join(folder, 'missing', 'lock')
})

test('default: one owner at a time', async () => {
  const unlock = await lockFile(file)
  await expect(lockFile(file)).rejects.toThrow(FileInUseError)
  unlock()
  const again = await lockFile(file)
  again()
})

test('behavior: a second release closes no file that was opened since', async () => {
  const unlock = await lockFile(file)
  unlock()
  // The system gives it the number of the descriptor that was closed.
  const other = openSync(file, 'r')
  unlock()
  expect(fstatSync(other).isFile()).toBe(true)
  closeSync(other)
})

test('behavior: what an earlier owner wrote into the file has no effect', async () => {
  const unlock = await lockFile(file)
  writeFileSync(file, String(process.pid))
  unlock()
  const again = await lockFile(file)
  await expect(lockFile(file)).rejects.toThrow(/another process uses it/)
  again()
})

/** A process that tries to lock the file at each line it reads, and prints whether it has the lock. */
const CONTENDER = `
  import { createInterface } from 'node:readline'
  const [file, source] = process.argv.slice(-2)
  const { lockFile } = await import(source)
  console.log('ready')
  for await (const _ of createInterface(process.stdin))
    console.log(await lockFile(file).then(() => 'locked', (error) => error.name))
`

function startContender(source: string): ChildProcess {
  const args = ['--input-type=module', '-e', CONTENDER]
  return spawn(process.execPath, [...args, file, source], { stdio: ['pipe', 'pipe', 'inherit'] })
}

async function lineOf(contender: ChildProcess): Promise<string> {
  const [chunk] = (await once(contender.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return chunk.toString().trim()
}

test('behavior: of many processes that start after a kill, exactly one gets the lock', async () => {
  const source = await compileModule('lib/lockFile.ts')
  const contenders = Array.from({ length: 8 }, () => startContender(source))
  onTestFinished(() => contenders.forEach((contender) => contender.kill('SIGKILL')))
  await Promise.all(contenders.map(lineOf))
  // Each round starts when the owner of the one before was killed.
  while (contenders.length > 1) {
    const answers = contenders.map(lineOf)
    for (const { stdin } of contenders) stdin?.write('lock\n')
    const outcomes = await Promise.all(answers)
    expect(outcomes.toSorted()).toEqual([
      ...Array<string>(contenders.length - 1).fill('FileInUseError'),
      'locked',
    ])
    const [owner] = contenders.splice(outcomes.indexOf('locked'), 1) as [ChildProcess]
    const ended = once(owner, 'exit')
    owner.kill('SIGKILL')
    await ended
  }
}, 120_000)

test('error: the socket of an earlier version', async () => {
  const unlock = await lockFile(file)
  unlock()
  rmSync(file)
  const server = createServer().listen(file)
  await once(server, 'listening')
  await expect(lockFile(file)).rejects.toThrow(/is a socket of an earlier version/)
  server.close()
})
