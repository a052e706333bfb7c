import { CommandError, EXIT } from '../command.ts'

/** Sends one request and reads the whole answer. */
export type Post = (
  url: string,
  body: string | undefined,
  signal?: AbortSignal,
) => Promise<{ status: number; text: string; retryAfter: number | undefined }>

/**
 * POSTs with a time-out.
 *
 * @throws CommandError with exit code 4 that names the address when nothing answers.
 */
export function createPost(options: createPost.Options): Post {
  const { timeout, headers = {}, fetch: send = fetch } = options
  return async (url, body, signal) => {
    const limit = AbortSignal.timeout(timeout)
    try {
      const response = await send(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body }),
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      const after = Number(response.headers.get('retry-after') ?? Number.NaN)
      return {
        status: response.status,
        text: await response.text(),
        retryAfter: Number.isFinite(after) ? after : undefined,
      }
    } catch (error) {
      if (signal?.aborted) throw error
      throw new CommandError(
        limit.aborted
          ? `${url} did not answer within ${timeout / 1000} s; a longer wait is --timeout SECONDS`
          : `cannot reach ${url} (${reason(error)}); is it running, and is the address right (--rpc, --node)?`,
        { exitCode: EXIT.unreachable, cause: error },
      )
    }
  }
}

export declare namespace createPost {
  type Options = {
    /** Milliseconds. */
    timeout: number
    headers?: Record<string, string>
    fetch?: typeof fetch
  }
}

// fetch says only "fetch failed"; the system's reason is in the cause, for several addresses one level deeper.
function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  const code = (first as NodeJS.ErrnoException).code
  if (code === 'ECONNREFUSED') return 'connection refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown host'
  return code ?? (first instanceof Error ? first.message : String(first))
}
