import { CommandError, EXIT } from './errors.ts'
import { pause } from './interrupt.ts'
import { BusyError, RpcFailure } from './rpcClient.ts'

/** Repeats calls after temporary faults: no connection, no answer in time, a busy server, a failing upstream. */
export async function withRetry<value>(
  ask: () => Promise<value>,
  options: withRetry.Options,
): Promise<value> {
  const { retries, signal, onRetry } = options
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask()
    } catch (error) {
      if (signal?.aborted || attempt >= retries || !isTemporary(error)) throw error
      const advised = error instanceof BusyError ? (error.retryAfter ?? 0) * 1000 : 0
      const delay = Math.max(advised, Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt))
      onRetry?.(error as CommandError, delay)
      await pause(delay, signal)
      if (signal?.aborted) throw error
    }
  }
}

export declare namespace withRetry {
  type Options = {
    /** Number of retries after the first failure. */
    retries: number
    signal?: AbortSignal
    onRetry?: (error: CommandError, delay: number) => void
  }
}

const FIRST_MS = 250
const LONGEST_MS = 15_000

/** Whether a retry may succeed. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof RpcFailure)
    return (
      error.code === -32_603 ||
      // A range is only asked for when a server has shown its end: this answer is from one that is behind it.
      /beyond current head/i.test(error.rpcMessage) ||
      (error.code === -32_005 &&
        /rate|busy|later|limit exceeded|too many requests/i.test(error.rpcMessage))
    )
  return error instanceof CommandError && error.exitCode === EXIT.unreachable
}
