import { printableLines } from '../../lib/printable.ts'
import type { CommandError } from './errors.ts'
import type { Io } from './io.ts'
import { stringify } from './json.ts'

/** The output of a command. Control characters in texts of others are escaped. */
export type Terminal = {
  /** `table` for people, `json` for programs. */
  readonly mode: 'table' | 'json'
  /** Whether `--json` is given. */
  readonly asksJson: boolean
  /** Whether stderr is a terminal: progress bars are drawn only then. */
  readonly interactive: boolean
  /**
   * A line on stdout. Resolves when the reader has read it, so that long output does not fill the memory.
   *
   * @throws ReaderGoneError when the reader closed the pipe.
   */
  print(line: string): Promise<void>
  /** A line on stderr. */
  error(line: string): void
  /** The one line of a failure. */
  fail(failure: CommandError, json: boolean): void
  bold(text: string): string
  dim(text: string): string
  green(text: string): string
  red(text: string): string
  yellow(text: string): string
}

/** Reads `NO_COLOR`, `--json`, `--table` and whether the streams are terminals. */
export function createTerminal(options: createTerminal.Options, io: Io): Terminal {
  const { stdout, stderr, env } = io
  const colour = env['FORCE_COLOR']
    ? true
    : stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const paint = (code: number, end: number) => (text: string) =>
    colour && text !== '' ? `\u001B[${code}m${text}\u001B[${end}m` : text
  return {
    asksJson: options.json === true,
    mode: options.json ? 'json' : options.table || stdout.isTTY ? 'table' : 'json',
    interactive: stderr.isTTY === true && env['TERM'] !== 'dumb',
    print: (line) =>
      new Promise((resolve, reject) => {
        stdout.write(`${printableLines(line)}\n`, (error?: Error | null) => {
          if (!error) resolve()
          else reject(isPipeError(error) ? new ReaderGoneError() : error)
        })
      }),
    error: (line) => void stderr.write(`${printableLines(line)}\n`),
    fail(failure, json) {
      if (failure.message === '') return
      const line = json
        ? stringify({
            error: { message: failure.message, exitCode: failure.exitCode, ...failure.details },
          })
        : `ethgate: ${failure.message.replaceAll(/\s*\n\s*/g, ' ')}`
      stderr.write(`${printableLines(line)}\n`)
    },
    bold: paint(1, 22),
    dim: paint(2, 22),
    green: paint(32, 39),
    red: paint(31, 39),
    yellow: paint(33, 39),
  }
}

export declare namespace createTerminal {
  type Options = {
    json?: boolean | undefined
    table?: boolean | undefined
  }
}

/** The reader of stdout closed the pipe, as `head` does. The command ends without an error. */
export class ReaderGoneError extends Error {
  override name = 'ReaderGoneError'
}

function isPipeError(error: NodeJS.ErrnoException): boolean {
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED'
}
