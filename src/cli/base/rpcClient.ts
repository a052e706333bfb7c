import { printable } from '../../lib/printable.ts'
import { shownUrl, withoutSecrets } from '../../lib/secrets.ts'
import { CommandError, EXIT } from './errors.ts'
import { timeoutError, unreachableError } from './failures.ts'
import { get, isRecord, parse, scalar, stringify } from './json.ts'

/** A JSON-RPC endpoint. */
export type Rpc = ReturnType<typeof createRpc>

/** The server answered with a JSON-RPC error. */
export class RpcFailure extends CommandError {
  override name = 'RpcFailure'
  readonly method: string
  readonly code: number
  readonly rpcMessage: string
  readonly data: unknown

  constructor(method: string, error: { code: number; message: string; data: unknown }) {
    const reverted = isRevert(error)
    super(`${method}: ${error.message} (code ${error.code})${advice(error)}`, {
      exitCode: reverted ? EXIT.reverted : EXIT.failed,
      details: {
        code: error.code,
        ...(error.data === undefined ? {} : { data: error.data }),
      },
    })
    this.method = method
    this.code = error.code
    this.rpcMessage = error.message
    this.data = error.data
  }

  /** The revert data; undefined when this is not a revert. */
  get revertData(): `0x${string}` | undefined {
    if (this.exitCode !== EXIT.reverted) return undefined
    const data = typeof this.data === 'string' ? this.data : scalar(get(this.data, 'data'))
    return data !== undefined && /^0x([0-9a-f]{2})*$/i.test(data) ? (data as `0x${string}`) : '0x'
  }
}

/** The server is overloaded or limits the rate: HTTP 429 or 5xx without a JSON-RPC answer. A retry may help. */
export class BusyError extends CommandError {
  override name = 'BusyError'
  /** Seconds, when the server said so. */
  readonly retryAfter: number | undefined

  constructor(message: string, retryAfter: number | undefined) {
    super(message, { exitCode: EXIT.unreachable })
    this.retryAfter = retryAfter
  }
}

/**
 * A JSON-RPC endpoint over HTTP. Not viem's transport: it rounds large numbers of an answer, and writes large numbers of a
 * request as text.
 */
export function createRpc({ headers = {}, timeout, url }: createRpc.Options) {
  const shown = shownUrl(url)

  async function post(body: string, signal: AbortSignal | undefined): Promise<Answer> {
    const limit = AbortSignal.timeout(timeout)
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      const after = Number(response.headers.get('retry-after') ?? Number.NaN)
      return {
        status: response.status,
        text: await response.text().catch((error: unknown) => unreadable(shown, response, error)),
        retryAfter: Number.isFinite(after) ? after : undefined,
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof CommandError) throw error
      throw limit.aborted ? timeoutError(shown, timeout) : unreachableError(shown, error)
    }
  }

  return {
    url,
    /**
     * Calls a method; numbers of the result keep every digit.
     *
     * @throws RpcFailure for an error answer, CommandError when there is none.
     */
    async call(
      method: string,
      params: readonly unknown[] = [],
      signal?: AbortSignal,
    ): Promise<unknown> {
      const body = stringify({ jsonrpc: '2.0', id: 1, method, params })
      return readAnswer(method, url, await post(body, signal))
    },
  }
}

export declare namespace createRpc {
  type Options = {
    url: string
    /** Milliseconds for one request. */
    timeout: number
    /** Sent with every request. */
    headers?: Record<string, string>
  }
}

type Answer = { status: number; text: string; retryAfter: number | undefined }

function readAnswer(method: string, url: string, answer: Answer): unknown {
  let parsed: unknown
  try {
    parsed = parse(answer.text)
  } catch {
    parsed = undefined
  }
  const error = get(parsed, 'error')
  if (isRecord(error))
    throw new RpcFailure(method, {
      code: Number(scalar(error['code']) ?? 0),
      message: scalar(error['message']) ?? 'no message',
      data: error['data'],
    })
  if (isRecord(parsed) && 'result' in parsed) return parsed['result']
  const [shown, text] = [shownUrl(url), quoted(withoutSecrets(answer.text, url))]
  if (answer.status === 429 || answer.status >= 500)
    throw new BusyError(
      `${shown} is busy (HTTP ${answer.status}${text}); try again later`,
      answer.retryAfter,
    )
  const hint = hintFor(answer.status)
  throw new CommandError(`${shown} answered HTTP ${answer.status} without JSON-RPC${text}; ${hint}`)
}

/** A body that broke off is a lost connection; one that cannot be unpacked is an answer. */
function unreadable(shown: string, response: Response, error: unknown): never {
  const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException
  if (!/^(Z_|ERR_(ZSTD|BROTLI))/.test(code ?? '')) throw error
  throw new CommandError(
    `${shown} answered HTTP ${response.status} with a body that cannot be unpacked (${response.headers.get('content-encoding')}, ${code})`,
    { cause: error },
  )
}

/** Characters of an answer that an error quotes. */
const QUOTED = 160

/** The begin of an answer of another program, such as a proxy. */
function quoted(text: string): string {
  const line = printable(
    text
      .slice(0, 4 * QUOTED)
      .replaceAll(/\s+/g, ' ')
      .trim(),
  )
  if (line === '') return ''
  return `: “${line.length > QUOTED ? `${line.slice(0, QUOTED)}…` : line}”`
}

function hintFor(status: number): string {
  if (status === 401 || status === 403)
    return 'is a key missing? Give it with --header or in the URL'
  return status === 404 || status === 405
    ? 'the JSON-RPC of a node is at the path /jsonrpc'
    : 'is --rpc-url the address of a JSON-RPC server?'
}

/** Reverts come as code 3 from gateways and Ethereum nodes, as -32000 with the opcode's name from a node's own JSON-RPC. */
function isRevert(error: { code: number; message: string }): boolean {
  return error.code === 3 || /^(execution reverted|REVERT opcode executed)/.test(error.message)
}

function advice(error: { code: number; message: string }): string {
  return error.code === -32601 ? '; rpc.discover lists the methods' : ''
}
