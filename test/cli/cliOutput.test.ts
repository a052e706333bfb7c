import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'

import { expect, test } from 'vitest'

import { commandFile, startRpc } from '../support/cli.ts'
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

// util-linux's script gives a command a terminal; elsewhere it is missing or takes other options.
const recorder = 'script'
const hasScript = spawnSync(recorder, ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
)

test.skipIf(!hasScript)(
  `behavior: a terminal gets tables and colours${hasScript ? '' : ' (skipped: no util-linux script)'}`,
  () => {
    const command = `"${process.execPath}" "${commandFile()}" address ${ALICE.base58}`
    const run = (env: Record<string, string>) =>
      spawnSync(recorder, ['-qec', command, '/dev/null'], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...env },
      }).stdout
    expect(run({})).toContain('\u001B[1mbase58\u001B[22m')
    expect(run({ NO_COLOR: '1' })).toContain(`base58      ${ALICE.base58}`)
  },
)
