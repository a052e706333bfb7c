import { printableLines } from '../../lib/printable.ts'
import type { CommandError } from './errors.ts'
import type { Io } from './io.ts'
import { stringify } from './json.ts'

/** The output of a command. Control characters in texts of others are escaped. */
export type Terminal = ReturnType<typeof createTerminal>

/** Reads `NO_COLOR`, `--json`, `--table` and whether the streams are terminals. */
export function createTerminal(options: createTerminal.Options, io: Io) {
  const { stdout, stderr, env } = io
  const colour = env['FORCE_COLOR']
    ? true
    : stdout.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb'
  const paint = (code: number, end: number) => (text: string) =>
    colour && text !== '' ? `\u001B[${code}m${text}\u001B[${end}m` : text
  return {
    /** Whether `--json` is given. */
    asksJson: options.json === true,
    /** `table` for people, `json` for programs. */
    mode: options.json ? 'json' : options.table || stdout.isTTY ? 'table' : ('json' as const),
    /** Whether stderr is a terminal: progress bars are drawn only then. */
    interactive: stderr.isTTY === true && env['TERM'] !== 'dumb',
    /**
     * A line on stdout. Resolves when the reader has read it, so that long output does not fill the memory.
     *
     * @throws ReaderGoneError when the reader closed the pipe.
     */
    print: (line: string) =>
      new Promise<void>((resolve, reject) => {
        stdout.write(`${printableLines(line)}\n`, (error?: Error | null) => {
          if (!error) resolve()
          else reject(isPipeError(error) ? new ReaderGoneError() : error)
        })
      }),
    /** A line on stderr. */
    error: (line: string) => void stderr.write(`${printableLines(line)}\n`),
    /** The one line of a failure. */
    fail(failure: CommandError, json: boolean) {
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
