import type { Dispatcher, Pool } from 'undici'

import type { Call } from '../../lib/call.ts'
import { errorCode } from '../../lib/errorCode.ts'
import { createStop, type Stop, type StopSignal } from '../../lib/stopSignal.ts'
import { NodeAnswerError, NodeTimeoutError } from '../errors.ts'
import { MAX_IN_FLIGHT, maxBytes } from '../wire/answerLimits.ts'
import { connectionErrorOf, isBrokenConnection } from './connectionFault.ts'
import { createDueList, type DueEntry } from './due.ts'
import { loadUndici } from './undici.ts'

/** Sends native requests to a node: over sockets, with `fetch`, or to a chain in this process. */
export type NativeTransport = {
  /**
   * Makes one call. Repeats it once after a connection fault, if that is safe. Any HTTP status is an answer.
   *
   * @param body - JSON text for POST; undefined for GET.
   * @throws NodeUnreachableError, NodeTimeoutError, NodeAnswerError, or the signal's reason
   */
  send(path: NativePath, body: string | undefined, options: SendOptions): Promise<NativeReply>
  close(): Promise<void>
}

/** The path of an HTTP call to the node, or the method of a gRPC call. */
export type NativePath =
  | `/wallet/${string}`
  | `/walletsolidity/${string}`
  | `/protocol.Wallet/${string}`

/** What a call is made for (of shared work, the first), and options of it. */
export type SendOptions = Call & {
  /** Whether the call may be repeated. */
  idempotent: boolean
  /** How several nodes may share the call (see `Operation`). @default by `idempotent` */
  kind?: 'read' | 'build' | 'send'
  /** Milliseconds, if less than the transport's own limit. */
  timeout?: number | undefined
  /** Whether a node below the newest block that clients have seen may answer, when no other node can in time. */
  belowFloor?: boolean | undefined
  /**
   * The name of the part of the answer that the caller needs (see `Part`), or `whole` for what its type has; the answer may lack the
   * rest. Absent: the answer as the node writes it.
   */
  part?: string | undefined
  /** Whether a client wrote the body and the query. They may be the reason for an error of the node. */
  isOfClient?: boolean | undefined
}

/** The answer to one call. */
export type NativeReply = {
  /** HTTP status. */
  status: number
  /** Empty if only `parsed` is present. */
  text: string
  /** The text as JSON, if the transport has parsed it already. */
  parsed?: unknown
  /** The serialised answer, if it came over gRPC. */
  bytes?: Buffer | undefined
  /** Whether the transport has checked that the answer is of the expected chain. */
  isChecked?: boolean | undefined
}

/** The outcome of one call, for metrics. `status` is absent when there was no answer. */
export type CallReport = {
  path: NativePath
  status?: number
  seconds: number
  /** Whether the caller has aborted it. */
  cancelled: boolean
}

/** Additional headers of one call, and the function to call at its end. */
export type CallObserver = {
  headers?: Readonly<Record<string, string>> | undefined
  end(report: CallReport): void
}

// Milliseconds. The node closes an idle connection after 30 s. The gateway closes it earlier, so that no request uses a
// connection that is being closed.
const KEEP_ALIVE = 20_000

/**
 * A transport over keep-alive sockets, at most `sockets` for each node port. Further calls wait for a free socket. The node
 * refuses the 51st connection to a port without an answer.
 *
 * @throws Error when an address or the header cannot be used.
 */
export function createHttpTransport({
  header,
  headers,
  onCall,
  onConnect,
  sockets = 40,
  timeout = 10_000,
  upstream,
  upstreamSolidity = upstream,
}: createHttpTransport.Options): NativeTransport {
  const pools = new Map<string, Pool>()
  const getHeaders = { accept: 'application/json', ...parseHeader(header), ...headers }
  const postHeaders = { ...getHeaders, 'content-type': 'application/json' }
  const wallet = target(upstream)
  const solidity = target(upstreamSolidity)
  const deadlines = createDueList<Deadline>({
    onDue: ({ limit, stop }) => stop.stop(new NodeTimeoutError(Math.round(limit))),
  })
  let closed = false
  /** Bytes of the answers that are being received. */
  let receiving = 0

  function target(base: string): Target {
    const url = new URL(base)
    let pool = pools.get(url.origin)
    if (!pool) {
      pool = new (loadUndici().Pool)(url.origin, {
        connect: { timeout },
        connections: sockets,
        // `deadlines` ends calls that take too long. undici would keep a timer in memory for half a second after each call.
        bodyTimeout: 0,
        headersTimeout: 0,
        keepAliveTimeout: KEEP_ALIVE,
        pipelining: 1,
      })
      if (onConnect) pool.on('connect', () => onConnect())
      pools.set(url.origin, pool)
    }
    return { pool, prefix: url.pathname.replace(/\/+$/, ''), search: url.search }
  }

  function once(
    { pool, prefix, search }: Target,
    path: NativePath,
    body: string | undefined,
    more: CallObserver['headers'],
    stop: StopSignal,
  ): Promise<NativeReply> {
    const own = body === undefined ? getHeaders : postHeaders
    const request: Dispatcher.DispatchOptions = {
      body: body ?? null,
      headers: more ? { ...more, ...own } : own,
      method: body === undefined ? 'GET' : 'POST',
      path: prefix + path + (path.includes('?') ? search.replace('?', '&') : search),
    }
    // A handler in place of `pool.request`, whose stream of the answer takes a fifth of the time of a small call.
    return new Promise((resolve, reject) => {
      let controller: Dispatcher.DispatchController | undefined
      let status = 0
      let bytes = 0
      const most = maxBytes(path)
      const chunks: Buffer[] = []
      const received = () => {
        receiving -= bytes
        bytes = 0
      }
      stop.addEventListener('abort', () => {
        controller?.abort(STOPPED)
        reject(STOPPED)
      })
      pool.dispatch(request, {
        onRequestStart(started) {
          controller = started
          if (stop.aborted) controller.abort(STOPPED)
        },
        onResponseStart(_, statusCode) {
          status = statusCode
        },
        onResponseData(_, chunk) {
          chunks.push(chunk)
          bytes += chunk.length
          receiving += chunk.length
          if (bytes > most || receiving > MAX_IN_FLIGHT) controller?.abort(TOO_LARGE)
        },
        onResponseEnd() {
          received()
          resolve({ status, text: textOf(chunks) })
        },
        onResponseError(_, error) {
          received()
          reject(error)
        },
      })
    })
  }

  async function send(
    path: NativePath,
    body: string | undefined,
    options: SendOptions,
  ): Promise<NativeReply> {
    const { idempotent, signal, timeout: left = timeout } = options
    signal?.throwIfAborted()
    const to = path.startsWith('/walletsolidity/') ? solidity : wallet
    const started = performance.now()
    const stop = createStop()
    // The limit includes the wait for a socket.
    const limit = Math.min(timeout, left)
    const deadline: Deadline = { at: -1, dueAt: started + limit, limit, stop }
    deadlines.add(deadline)
    signal?.addEventListener('abort', stop, { once: true })
    const observer = onCall?.(path, options)
    let status: number | undefined
    try {
      let reply: NativeReply
      try {
        reply = await once(to, path, body, observer?.headers, stop)
      } catch (error) {
        if (closed || stop.aborted || !mayRepeat(error, idempotent)) throw error
        reply = await once(to, path, body, observer?.headers, stop)
      }
      status = reply.status
      return reply
    } catch (error) {
      throw stop.aborted ? stop.reason : faultOf(error, timeout)
    } finally {
      deadlines.remove(deadline)
      signal?.removeEventListener('abort', stop)
      observer?.end({
        path,
        ...(status === undefined ? {} : { status }),
        seconds: (performance.now() - started) / 1000,
        cancelled: signal?.aborted === true,
      })
    }
  }

  return {
    send,
    async close() {
      closed = true
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}

export declare namespace createHttpTransport {
  type Options = {
    /** Base address of `/wallet`. It may have a path. */
    upstream: string
    /** Base address of `/walletsolidity`. @default the same */
    upstreamSolidity?: string | undefined
    /** `name: value`, sent with every call. */
    header?: string | undefined
    /** More headers, by name. */
    headers?: Readonly<Record<string, string>>
    /** Limit of one call in milliseconds, including the wait for a socket. @default 10_000 */
    timeout?: number
    /** Sockets per node port. @default 40 */
    sockets?: number
    /** Called when a call begins. */
    onCall?: ((path: NativePath, call: Call) => CallObserver) | undefined
    /** Called for each new connection, before anything is sent over it. */
    onConnect?: () => void
  }
}

type Target = { pool: Pool; prefix: string; search: string }

/** `limit`: the milliseconds of the call. */
type Deadline = DueEntry & { readonly limit: number; readonly stop: Stop }

/** Closes the connection of an aborted call. The caller gets the reason of the abort instead. */
const STOPPED = new Error('the call was stopped')

/** Ends an exchange whose answer exceeds its limit. */
const TOO_LARGE = new Error('the answer is too large')

/** The text of an answer, without a byte order mark, which some proxies add. */
function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks
  const text = first && chunks.length === 1 ? first.toString() : Buffer.concat(chunks).toString()
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}

const BYTE_ORDER_MARK = 0xfeff

function parseHeader(header: string | undefined): Record<string, string> {
  if (header === undefined) return {}
  const match = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(.*?)[ \t]*$/.exec(header)
  if (!match?.[1] || match[2] === undefined)
    throw new Error('the upstream header needs the format "name: value"')
  return { [match[1].toLowerCase()]: match[2] }
}

/** Whether a failed call may be repeated. A refused connection did not send the call, so even a broadcast may be repeated. */
function mayRepeat(error: unknown, idempotent: boolean): boolean {
  return errorCode(error) === 'ECONNREFUSED' || (idempotent && isBrokenConnection(error))
}

function faultOf(error: unknown, timeout: number): Error {
  if (error === TOO_LARGE) return new NodeAnswerError('the upstream node’s answer is too large')
  if (error instanceof loadUndici().errors.HTTPParserError)
    return new NodeAnswerError('the upstream node’s answer is not HTTP', { cause: error })
  return connectionErrorOf(error, timeout)
}
