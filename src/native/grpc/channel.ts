import type { StopSignal } from '../../lib/stopSignal.ts'
import {
  Http2Error,
  type Http2Response,
  type Http2Connection,
  openHttp2,
} from './http2/connection.ts'
import { encodeFields } from './http2/hpack.ts'

/** A connection for unary gRPC calls. The first call opens it. After a failure the next call opens it again. */
export type GrpcChannel = {
  /**
   * Makes one call.
   *
   * @param message - the serialised request
   * @returns the serialised response
   * @throws GrpcError, or the signal's reason
   */
  unary(method: string, message: Uint8Array, options: UnaryOptions): Promise<Buffer>
  close(): void
}

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

/** Milliseconds after which an idle connection is closed, before a proxy or a firewall drops it. */
const IDLE = 20_000

/** Largest response, as over HTTP (see `createPoolTransport`). */
const MAX_ANSWER = 256 * 1024 * 1024

/** Bytes before a message: whether it is compressed, and its length. */
const PREFIX = 5

/**
 * Unary gRPC. The gRPC libraries take many times the processor time for a call, which is most of the work for many small answers.
 *
 * @param address - `http://HOST:PORT`, or `https://HOST:PORT` for TLS
 */
export function createGrpcChannel({
  address,
  headers = {},
}: createGrpcChannel.Options): GrpcChannel {
  const { host, protocol } = new URL(address)
  const fixed = [...Object.entries(headers), ...TYPE].map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  )
  /** The encoded fields that all calls of a method have. */
  const common = new Map<string, Buffer>()
  let connection: Http2Connection | undefined

  function connect(): Http2Connection {
    const opened = openHttp2({
      address,
      idle: IDLE,
      maxLength: MAX_ANSWER,
      // The node closes connections of a certain age. Calls in flight still finish.
      onRetired() {
        if (connection === opened) connection = undefined
      },
    })
    return opened
  }

  function fieldsOf(method: string, { headers: own = {}, timeout }: UnaryOptions): Buffer {
    let first = common.get(method)
    if (!first) {
      const route = [
        [':method', 'POST'],
        [':scheme', protocol.slice(0, -1)],
        [':path', method],
        [':authority', host],
      ] as const
      common.set(method, (first = encodeFields([...route, ...fixed])))
    }
    const limit = ['grpc-timeout', `${Math.max(1, Math.floor(timeout))}m`] as const
    return Buffer.concat([first, encodeFields([limit, ...Object.entries(own)])])
  }

  function once(method: string, message: Uint8Array, options: UnaryOptions): Promise<Buffer> {
    const used = (connection ??= connect())
    return new Promise((resolve, reject) => {
      const { signal, timeout } = options
      const cancel = used.request(fieldsOf(method, options), framed(message), (result) => {
        settle()
        try {
          resolve(messageOf(result))
        } catch (error) {
          reject(error)
        }
      })
      const timer = setTimeout(() => {
        cancel()
        settle()
        reject(new GrpcError('no answer in time'))
        // The connection may be dead, so the next call connects again.
        used.destroy(new Http2Error('the connection was closed'))
      }, timeout)
      const leave = () => {
        cancel()
        settle()
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      function settle(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', leave)
      }
    })
  }

  return {
    async unary(method, message, options) {
      options.signal?.throwIfAborted()
      const before = connection
      const started = performance.now()
      try {
        return await once(method, message, options)
      } catch (error) {
        // The node may have closed the connection at the moment of the call. All calls here only read, so it is repeated.
        const left = options.timeout - (performance.now() - started)
        const isAnswered = !(error instanceof GrpcError) || error.code !== undefined
        if (isAnswered || before === undefined || connection === before || left < 1) throw error
        return once(method, message, { ...options, timeout: left })
      }
    },
    close() {
      connection?.destroy(new Http2Error('the connection was closed'))
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

/** The type of a gRPC message, and that the client reads trailers. */
const TYPE = [
  ['content-type', 'application/grpc'],
  ['te', 'trailers'],
] as const

function faultOf(cause: Error): GrpcError {
  return cause instanceof Http2Error
    ? new GrpcError(cause.message)
    : new GrpcError('the connection failed', { cause })
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(PREFIX + message.length)
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, PREFIX)
  return frame
}

/** The one message of a response. @throws GrpcError */
function messageOf(result: Error | Http2Response): Buffer {
  if (result instanceof Error) throw faultOf(result)
  const { chunks, fields, length } = result
  const code = fields.get('grpc-status')
  const status = fields.get(':status')
  if (code === undefined)
    throw new GrpcError(
      status === '200'
        ? 'the answer has no gRPC status'
        : `the address does not serve gRPC: it answered HTTP ${String(status)}`,
    )
  if (code !== '0')
    throw new GrpcError(textOf(fields.get('grpc-message') ?? '') || `status ${code}`, {
      code: Number(code),
    })
  const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length)
  const isWhole = length >= PREFIX && bytes[0] === 0 && bytes.readUInt32BE(1) === length - PREFIX
  if (!isWhole) throw new GrpcError('the answer is not one whole message')
  return bytes.subarray(PREFIX)
}

/** The message of a status is percent-encoded. */
function textOf(message: string): string {
  try {
    return decodeURIComponent(message)
  } catch {
    return message
  }
}
