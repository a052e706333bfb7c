import { ConfigError } from '../../config/config.ts'

/** Exit codes of every command, for scripts. */
export const EXIT = {
  ok: 0,
  /** The server answered an error, or the command could not do what was asked. */
  failed: 1,
  /** The arguments are wrong; nothing was sent. */
  usage: 2,
  /** A contract reverted: a call, an estimate, or a transaction that was mined and failed. */
  reverted: 3,
  /** The gateway or node could not be reached, or did not answer in time. */
  unreachable: 4,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const

/** The failure of a command: one line that says what to do, and the exit code. An empty message prints nothing. */
export class CommandError extends Error {
  override name = 'CommandError'
  readonly exitCode: number
  /** Fields that `--json` shows beside the message: `code`, `data`, … */
  readonly details: Record<string, unknown>

  constructor(message: string, options: CommandError.Options = {}) {
    super(message, { cause: options.cause })
    this.exitCode = options.exitCode ?? EXIT.failed
    this.details = options.details ?? {}
  }
}

export declare namespace CommandError {
  type Options = { cause?: unknown; exitCode?: number; details?: Record<string, unknown> }
}

/** The same failure in other words. */
export function reworded(failure: CommandError, message: string): CommandError {
  const { details, exitCode } = failure
  return new CommandError(message, { cause: failure, details, exitCode })
}

/** Wrong arguments: exit code 2. */
export function usageError(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { exitCode: EXIT.usage, cause })
}

/**
 * Reads settings or a file of settings. An error in them ends the command.
 *
 * @param exitCode - 1 for a command that checks settings, 2 for one that uses them.
 */
export function checked<value>(read: () => value, exitCode: 1 | 2 = EXIT.failed): value {
  try {
    return read()
  } catch (error) {
    if (error instanceof ConfigError)
      throw new CommandError(error.message, { cause: error, exitCode })
    throw error
  }
}
