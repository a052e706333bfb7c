import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { compileModule } from '../../test/support/compileModule.ts'
import { secretsIn } from '../lib/secrets.ts'
import { createLog, createLogOutput } from './log.ts'

function open(path: string, flags: string): number {
  const fd = openSync(path, flags)
  onTestFinished(() => closeSync(fd))
  return fd
}

test('default', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-log-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'log')
  const fd = open(path, 'a')
  const output = createLogOutput(fd)
  createLog('info', output).info({ a: 1 }, 'hello')
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ level: 30, a: 1, msg: 'hello' })
  expect(output.problem()).toBeUndefined()
  ftruncateSync(fd)
})

test('behavior: secrets are redacted', () => {
  const lines: string[] = []
  const secrets = secretsIn([
    'http://node.example/v2/0123456789abcdef?key=fedcba9876543210',
    'redis://:pass"word@127.0.0.1',
    'redis+sentinel://me:first%20word@a:1,b:2/main?sentinel_password=second-word',
    'postgres://me:third-word@127.0.0.1/logs',
    undefined,
  ])
  expect(secrets).toEqual([
    '0123456789abcdef',
    'fedcba9876543210',
    'pass"word',
    'first%20word',
    'first word',
    'second-word',
    'third-word',
  ])
  const log = createLog('info', { write: (line) => void lines.push(line) }, [
    ...secrets,
    'with"mark',
  ])
  log.info({ err: new Error('no /v2/0123456789abcdef') }, 'with"mark')
  expect(lines.join('')).not.toMatch(/0123456789abcdef|with\\?"mark/)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: '[secret]' })
})

test('behavior: short secrets are not redacted, because the log could not be read', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) }, ['e', 'true', ''])
  log.info({ ready: true }, 'the node answers')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ready: true, msg: 'the node answers' })
})

test('behavior: nothing is left of a secret that begins with another one', () => {
  const lines: string[] = []
  const secrets = ['abcdefgh', 'abcdefgh-longer']
  const log = createLog('info', { write: (line) => void lines.push(line) }, secrets)
  log.info('abcdefgh-longer and abcdefgh')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: '[secret] and [secret]' })
})

test('error: a full disk', () => {
  const output = createLogOutput(open('/dev/full', 'w'))
  const log = createLog('info', output)
  for (let line = 0; line < 3; line++) log.info('lost')
  expect(output.problem()).toBe('the log cannot be written (ENOSPC): 3 lines dropped')
})

test('behavior: reports the lost lines when the pipe has a reader again', async () => {
  const script = `
    import { createLogOutput, stdout } from ${JSON.stringify(await compileModule('gateway/log.ts'))}
    const output = createLogOutput(stdout())
    for (let line = 0; line < 10_000; line++) output.write('x'.repeat(99) + '\\n')
    process.stderr.write(output.problem() + '\\n')
    setInterval(() => {
      output.write('last\\n')
      if (output.problem() === undefined) process.exit()
    }, 10)
  `
  const writer = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void writer.kill('SIGKILL'))
  const [problem] = (await once(writer.stderr.setEncoding('utf8'), 'data')) as [string]
  const lost = Number(/\(EAGAIN\): (\d+) lines dropped/.exec(problem)?.[1])
  expect(lost).toBeGreaterThan(0)
  let text = ''
  writer.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await once(writer, 'close')
  const lines = text.split('\n').filter(Boolean)
  expect(lines.at(-1)).toBe('last')
  // The reader may have freed space more than once.
  const notes = lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { lost: number; msg: string })
  expect(new Set(notes.map(({ msg }) => msg))).toEqual(new Set(['log lines were dropped']))
  // No line is broken, and every line is either written or counted.
  const whole = lines.filter((line) => line === 'x'.repeat(99)).length
  const last = lines.filter((line) => line === 'last').length
  expect(whole + notes.length + last).toBe(lines.length)
  const missed = notes.reduce((sum, note) => sum + note.lost, 0)
  expect(whole + missed).toBeGreaterThanOrEqual(10_000)
})
