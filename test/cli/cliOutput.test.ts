import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

import { expect, test } from 'vitest'

import { processIo } from '../../src/cli/base/io.ts'
import { runEthgate } from '../../src/cli/program.ts'
import { commandFile, ethgate, startRpc } from '../support/cli.ts'
import { hasTerminal, onTerminal, terminalSkip } from '../support/terminal.ts'
import { ALICE } from './cliSamples.ts'

test('behavior: a closed pipe ends the command without an error', async () => {
  const server = await startRpc(() => ({ result: 'x'.repeat(4_000_000) }))
  const shell = spawn('sh', [
    '-c',
    `"$0" "$1" rpc x --rpc-url "$2" | head -c 5; echo`,
    process.execPath,
    commandFile(),
    server.url,
  ])
  let output = ''
  shell.stdout.on('data', (text: Buffer) => (output += text.toString()))
  shell.stderr.on('data', (text: Buffer) => (output += text.toString()))
  await once(shell, 'close')
  await server.close()
  expect(output).toBe('xxxxx\n')
})

test('error: output that cannot be written is a line, and not the place in the program', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const stdout = new Writable({ write: (_text, _encoding, done) => done(full) })
  const lines: string[] = []
  const stderr = new Writable({
    write: (text: Buffer, _encoding, done) => done((lines.push(text.toString()), null)),
  })
  const io = { ...processIo(), stdout, stderr }
  expect(await runEthgate(['keccak', 'a'], io)).toBe(1)
  expect(lines).toEqual(['ethgate: ENOSPC: no space left on device\n'])
})

test('behavior: control characters of a server do not reach a terminal', async () => {
  const hostile = '\u001B]0;title\u0007\u001B[2J\u202Eend'
  const server = await startRpc((method) =>
    method === 'x' ? { result: { name: hostile } } : { error: { code: 1, message: hostile } },
  )
  const table = await ethgate(['rpc', 'x', '--table', '--rpc-url', server.url])
  const failed = await ethgate(['rpc', 'y', '--rpc-url', server.url])
  const piped = await ethgate(['rpc', 'x', '--rpc-url', server.url])
  await server.close()
  for (const text of [table.stdout, failed.stderr]) {
    expect(text).toContain('\\u001b]0;title\\u0007\\u001b[2J\\u202eend')
    for (const control of ['\u001B', '\u0007', '\u202E']) expect(text).not.toContain(control)
  }
  expect(JSON.parse(piped.stdout)).toEqual({ name: hostile })
})

test.skipIf(!hasTerminal)(
  `behavior: a terminal gets tables and colours${terminalSkip}`,
  async () => {
    const run = (env: Record<string, string>) =>
      text(onTerminal(`address ${ALICE.base58}`, env).stdout)
    expect(await run({})).toContain('\u001B[1mbase58\u001B[22m')
    expect(await run({ NO_COLOR: '1' })).toContain(`base58      ${ALICE.base58}`)
  },
)
