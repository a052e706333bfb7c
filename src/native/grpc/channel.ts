import http2 from 'node:http2'

import type { StopSignal } from '../../lib/stopSignal.ts'
import { createDueList, type DueEntry } from '../transport/due.ts'
import type { NativePath } from '../transport/transport.ts'
import { maxBytes } from '../wire/answerLimits.ts'

/** Options of one call. */
export type UnaryOptions = {
  headers?: Readonly<Record<string, string>> | undefined
  signal?: StopSignal | undefined
  /** Milliseconds. */
  timeout: number
}

/** A failed call. `code` is the gRPC status; undefined when there was no answer. */
export class GrpcError extends Error {
  override name = 'GrpcError'
  readonly code: number | undefined

  constructor(message: string, { cause, code }: { cause?: unknown; code?: number } = {}) {
    super(message, { cause })
    this.code = code
  }
}

/** Flow-control windows in bytes: for one call, and for the whole connection. */
const CALL_WINDOW = 4 * 1024 * 1024
const WINDOW = 32 * 1024 * 1024

/** Milliseconds after which an idle connection is closed, before a proxy or a firewall drops it. */
const IDLE = 20_000

/** Bytes before a message: whether it is compressed, and its length. */
const PREFIX = 5

const { NGHTTP2_CANCEL } = http2.constants

/**
 * Unary gRPC over the HTTP/2 of Node.js. The first call opens the connection, and after a failure the next call. For answers of 300
 * bytes and 30 KB, `@connectrpc/connect-node` takes 3.5 to 6 times the processor time of a call and `@grpc/grpc-js` 1.6 to 2.2 times. A
 * call is most of the work for many small answers.
 *
 * @param address - `http://HOST:PORT`, or `https://HOST:PORT` for TLS
 */
export function createGrpcChannel({ address, headers = {} }: createGrpcChannel.Options) {
  let session: http2.ClientHttp2Session | undefined
  const fixed = { ...headers, 'content-type': 'application/grpc', te: 'trailers' }
  // A timer of its own would cost each call more than its deadline is worth.
  const deadlines = createDueList<Deadline>({ onDue: ({ expire }) => expire() })

  function connect(): http2.ClientHttp2Session {
    const opened = http2.connect(address, { settings: { initialWindowSize: CALL_WINDOW } })
    const discard = () => {
      if (session === opened) session = undefined
    }
    opened.once('connect', () => opened.setLocalWindowSize(WINDOW))
    // The node closes connections of a certain age. Calls in flight still finish.
    opened.once('goaway', discard)
    opened.once('close', discard)
    // Each call reports why it failed.
    opened.on('error', discard)
    opened.setTimeout(IDLE, () => {
      // A session that is closing refuses calls.
      discard()
      opened.close()
    })
    return opened
  }

  function once(method: NativePath, message: Uint8Array, options: UnaryOptions): Promise<Buffer> {
    const used = (session ??= connect())
    return new Promise((resolve, reject) => {
      const { signal, timeout } = options
      const stream = used.request({
        ...options.headers,
        ...fixed,
        ':method': 'POST',
        ':path': method,
        'grpc-timeout': `${Math.max(1, Math.floor(timeout))}m`,
      })
      const deadline: Deadline = {
        at: -1,
        dueAt: performance.now() + timeout,
        expire() {
          settle(() => reject(new GrpcError('no answer in time')))
          // The connection may be dead, so the next call connects again.
          used.destroy()
        },
      }
      deadlines.add(deadline)
      const leave = () => {
        stream.close(NGHTTP2_CANCEL)
        settle(() => reject(signal?.reason))
      }
      signal?.addEventListener('abort', leave, { once: true })
      const settle = (how: () => void) => {
        deadlines.remove(deadline)
        signal?.removeEventListener('abort', leave)
        how()
      }
      const chunks: Buffer[] = []
      let length = 0
      // An answer without a message has its gRPC status among the headers.
      let headers: Received = {}
      let trailers: Received = {}
      stream.on('response', (received) => {
        headers = received
        trailers = received
      })
      stream.on('trailers', (received) => {
        trailers = received
        // The stream closes a turn of the event loop later.
        if (isWhole(chunks, length)) finish()
      })
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (length <= maxBytes(method)) return
        stream.close(NGHTTP2_CANCEL)
        settle(() => reject(new GrpcError('the answer is too large')))
      })
      stream.on('error', (cause) =>
        settle(() => reject(new GrpcError('the connection failed', { cause }))),
      )
      const finish = () =>
        settle(() => {
          try {
            const httpStatus = headers[':status']
            if (httpStatus === undefined) throw new GrpcError('the connection was closed')
            resolve(messageOf(httpStatus, trailers, chunks, length))
          } catch (error) {
            reject(error)
          }
        })
      stream.on('close', () => {
        finish()
        // Node.js keeps a stream until a full garbage collection, and with its listeners the answer and the call.
        stream.removeAllListeners()
      })
      stream.end(framed(message))
    })
  }

  return {
    /**
     * Makes one call.
     *
     * @param message - the serialised request
     * @returns the serialised response
     * @throws GrpcError, or the signal's reason
     */
    async unary(method: NativePath, message: Uint8Array, options: UnaryOptions) {
      options.signal?.throwIfAborted()
      const before = session
      const started = performance.now()
      try {
        return await once(method, message, options)
      } catch (error) {
        // The node may have closed the connection at the moment of the call. All calls here only read, so it is repeated.
        const left = options.timeout - (performance.now() - started)
        const isAnswered = !(error instanceof GrpcError) || error.code !== undefined
        if (isAnswered || before === undefined || session === before || left < 1) throw error
        return once(method, message, { ...options, timeout: left })
      }
    },
    close() {
      session?.destroy()
      session = undefined
    },
  }
}

export declare namespace createGrpcChannel {
  type Options = {
    address: string
    /** Sent with every call, such as an API key. */
    headers?: Readonly<Record<string, string>> | undefined
  }
}

/** When a call has taken too long. */
type Deadline = DueEntry & { readonly expire: () => void }

/** Headers or trailers of a response. */
type Received = http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(PREFIX + message.length)
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, PREFIX)
  return frame
}

/** The one message of a response. @throws GrpcError */
function messageOf(
  httpStatus: number,
  trailers: Received,
  chunks: readonly Buffer[],
  length: number,
): Buffer {
  const code = trailers['grpc-status']
  if (code === undefined)
    throw new GrpcError(
      httpStatus === 200
        ? 'the answer has no gRPC status'
        : `the address does not serve gRPC: it answered HTTP ${httpStatus}`,
    )
  if (code !== '0')
    throw new GrpcError(`the node answered with gRPC status ${Number(code)}`, {
      cause: textOf(trailers['grpc-message']),
      code: Number(code),
    })
  if (!isWhole(chunks, length)) throw new GrpcError('the answer is not one whole message')
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length)
  return bytes.subarray(PREFIX)
}

/** Whether the chunks are one message. */
function isWhole(chunks: readonly Buffer[], length: number): boolean {
  const [first] = chunks
  if (first === undefined || length < PREFIX) return false
  const head = first.length < PREFIX ? Buffer.concat(chunks, PREFIX) : first
  return head[0] === 0 && head.readUInt32BE(1) === length - PREFIX
}

/** The message of a status is percent-encoded. */
function textOf(message: string | string[] | undefined): string {
  const text = String(message ?? '')
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
