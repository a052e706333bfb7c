import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'

import { commandFile } from './cli.ts'

// util-linux's script gives a command a terminal; elsewhere it is missing or takes other options.
const RECORDER = 'script'

/** Whether tests can give a command a terminal. */
export const hasTerminal =
  spawnSync(RECORDER, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false

/** The end of the name of a test that needs a terminal: why it is skipped. */
export const terminalSkip = hasTerminal ? '' : ' (skipped: no util-linux script)'

/** Runs `ethgate` with words of a shell on a terminal. Its standard output has all that the terminal shows. */
export function onTerminal(
  words: string,
  env: Record<string, string> = {},
): ChildProcessWithoutNullStreams {
  const line = `"${process.execPath}" "${commandFile()}" ${words}`
  return spawn(RECORDER, ['-qec', line, '/dev/null'], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...env },
  })
}
