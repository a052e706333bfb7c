import net from 'node:net'
import tls from 'node:tls'

import { decodeFields } from './hpack.ts'

/**
 * The client side of an HTTP/2 connection (RFC 9113) for many short requests at a time, such as unary gRPC calls.
 *
 * The streams of node:http2 take five times the processor time for a request, and most of the time of reading many blocks. Requests
 * of one turn of the event loop leave in one write, which saves the node work too.
 */
export type Http2Connection = {
  /**
   * Sends a request.
   *
   * @param fields - its encoded header fields
   * @param done - called once and later, unless the request is cancelled before
   * @returns a function that cancels it
   * @throws Http2Error when it cannot be sent
   */
  request(fields: Buffer, body: Buffer, done: (result: Error | Http2Response) => void): () => void
  /** Ends the connection. Requests in flight fail with this error. */
  destroy(error: Error): void
}

/** A whole response. */
export type Http2Response = {
  /** Header fields and trailers. Lacks those with names of the static table of HPACK, other than `:status`. */
  fields: Map<string, string>
  chunks: Buffer[]
  /** Bytes of all chunks. */
  length: number
}

/** The connection ended, or the node ended the request, without a whole response. */
export class Http2Error extends Error {
  override name = 'Http2Error'
}

/** Opens a connection. @param address - `http://HOST:PORT`, or `https://HOST:PORT` for TLS */
export function openHttp2({
  address,
  idle,
  maxLength,
  onRetired,
}: openHttp2.Options): Http2Connection {
  const socket = connect(new URL(address))
  const requests = new Map<number, Request>()
  /** Requests that wait for a stream or for room in the flow-control window. */
  const waiting = new Set<Request>()
  /** What the node allows. Its settings are the first that it sends; no request leaves before them. */
  const peer = {
    isKnown: false,
    streams: MOST_STREAMS,
    streamWindow: DEFAULT_WINDOW,
    window: DEFAULT_WINDOW,
  }
  let nextId = 1
  let isRetired = false
  let unsent: Buffer[] = []
  /** Bytes of a frame that is not complete. */
  let rest: Buffer | undefined
  /** Header fields that continue in the next frame. */
  let open: { id: number; flags: number; parts: Buffer[]; length: number } | undefined
  /** Received bytes that were not yet given back to the window. */
  let received = 0

  write(Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'))
  write(frame(SETTINGS, 0, 0, settings(OWN_SETTINGS)))
  write(frame(WINDOW_UPDATE, 0, 0, uint32(OWN_WINDOW - DEFAULT_WINDOW)))

  socket.setNoDelay(true)
  socket.setTimeout(idle, retire)
  socket.on('secureConnect', () => {
    if ((socket as tls.TLSSocket).alpnProtocol !== 'h2')
      destroy(new Http2Error('the address does not serve HTTP/2'))
  })
  socket.on('error', destroy)
  socket.on('close', () => destroy(new Http2Error('the connection was closed')))
  socket.on('data', (chunk: Buffer) => {
    try {
      read(chunk)
    } catch (error) {
      destroy(error as Error)
    }
  })

  function write(bytes: Buffer): void {
    if (unsent.length === 0) setImmediate(flush)
    unsent.push(bytes)
  }

  function flush(): void {
    const bytes = Buffer.concat(unsent)
    unsent = []
    if (!socket.destroyed) socket.write(bytes)
  }

  /** Takes no further requests. Ends when those in flight have ended. */
  function retire(): void {
    isRetired = true
    onRetired()
    endIfIdle()
  }

  function endIfIdle(): void {
    if (isRetired && requests.size + waiting.size === 0) socket.destroy()
  }

  function destroy(error: Error): void {
    socket.destroy()
    if (!isRetired) {
      isRetired = true
      onRetired()
    }
    const failed = [...requests.values(), ...waiting]
    requests.clear()
    waiting.clear()
    for (const { done } of failed) done(error)
  }

  function start(): void {
    for (const request of waiting) {
      const { body, fields } = request
      const mustWait = !peer.isKnown || requests.size >= peer.streams
      if (mustWait || body.length > peer.streamWindow || body.length > peer.window) return
      waiting.delete(request)
      peer.window -= body.length
      const id = (request.id = nextId)
      nextId += 2
      requests.set(id, request)
      write(frame(HEADERS, END_HEADERS, id, fields))
      write(frame(DATA, END_STREAM, id, body))
    }
    if (nextId > LAST_ID && !isRetired) retire()
  }

  /** Ends a request. */
  function end(id: number, result: Error | Http2Response): void {
    const request = requests.get(id)
    if (!request) return
    requests.delete(id)
    start()
    request.done(result)
    endIfIdle()
  }

  function read(chunk: Buffer): void {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= FRAME_HEAD) {
      const length = bytes.readUIntBE(at, 3)
      if (length > MAX_FRAME) throw new Http2Error('the node sent a frame that is too large')
      const next = at + FRAME_HEAD + length
      if (next > bytes.length) break
      const id = bytes.readUInt32BE(at + 5) & 0x7fff_ffff
      take(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, id, bytes.subarray(at + FRAME_HEAD, next))
      at = next
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined
  }

  function take(type: number, flags: number, id: number, payload: Buffer): void {
    if (open && (type !== CONTINUATION || id !== open.id)) throw malformed()
    switch (type) {
      case DATA:
        takeData(flags, id, payload)
        break
      case HEADERS: {
        const padded = unpadded(flags, payload)
        const parts = [flags & PRIORITY ? padded.subarray(PRIORITY_LENGTH) : padded]
        takeFields({ id, flags, parts, length: payload.length })
        break
      }
      case CONTINUATION: {
        if (!open) throw malformed()
        const length = open.length + payload.length
        if (length > MAX_FIELDS) throw malformed()
        open.parts.push(payload)
        takeFields({ ...open, flags: open.flags | (flags & END_HEADERS), length })
        break
      }
      case RST_STREAM:
        end(id, new Http2Error(`the node reset the call (code ${payload.readUInt32BE(0)})`))
        break
      case SETTINGS:
        if ((flags & ACK) === 0) takeSettings(payload)
        break
      case PING:
        if ((flags & ACK) === 0) write(frame(PING, ACK, 0, payload))
        break
      case GOAWAY: {
        const last = payload.readUInt32BE(0) & 0x7fff_ffff
        retire()
        // The node will not handle these. The others still get their responses.
        const dropped = [...requests.keys()].filter((id) => id > last)
        const error = new Http2Error('the connection was closed')
        for (const id of dropped) end(id, error)
        for (const request of waiting) {
          waiting.delete(request)
          request.done(error)
        }
        endIfIdle()
        break
      }
      case WINDOW_UPDATE:
        // A window for one request is never used up, because its body is one frame.
        if (id !== 0) break
        peer.window += payload.readUInt32BE(0) & 0x7fff_ffff
        start()
        break
      case PUSH_PROMISE:
        throw malformed()
    }
  }

  function takeData(flags: number, id: number, payload: Buffer): void {
    received += payload.length
    if (received > OWN_WINDOW / 2) {
      write(frame(WINDOW_UPDATE, 0, 0, uint32(received)))
      received = 0
    }
    const request = requests.get(id)
    if (!request) return
    const { response } = request
    const content = unpadded(flags, payload)
    response.chunks.push(content)
    response.length += content.length
    if (response.length > maxLength) {
      write(frame(RST_STREAM, 0, id, uint32(CANCEL)))
      end(id, new Http2Error('the answer is too large'))
    } else if (flags & END_STREAM) end(id, response)
  }

  function takeFields(block: NonNullable<typeof open>): void {
    open = block.flags & END_HEADERS ? undefined : block
    const request = open ? undefined : requests.get(block.id)
    if (!request) return
    const { fields } = request.response
    for (const [name, value] of decodeFields(Buffer.concat(block.parts))) fields.set(name, value)
    if (block.flags & END_STREAM) end(block.id, request.response)
  }

  function takeSettings(payload: Buffer): void {
    for (let at = 0; at + SETTING_LENGTH <= payload.length; at += SETTING_LENGTH) {
      const value = payload.readUInt32BE(at + 2)
      const name = payload.readUInt16BE(at)
      if (name === MAX_CONCURRENT_STREAMS) peer.streams = Math.min(value, MOST_STREAMS)
      else if (name === INITIAL_WINDOW_SIZE) peer.streamWindow = value
    }
    peer.isKnown = true
    write(frame(SETTINGS, ACK, 0, EMPTY))
    start()
  }

  return {
    request(fields, body, done) {
      const response = { fields: new Map<string, string>(), chunks: [], length: 0 }
      const request: Request = { body, done, fields, id: 0, response }
      if (socket.destroyed) throw new Http2Error('the connection was closed')
      if (Math.max(fields.length, body.length) > MAX_FRAME)
        throw new Http2Error('the request is too large')
      waiting.add(request)
      start()
      return () => {
        if (waiting.delete(request)) return endIfIdle()
        if (!requests.delete(request.id)) return
        write(frame(RST_STREAM, 0, request.id, uint32(CANCEL)))
        start()
        // Its reset is still to be sent.
        setImmediate(endIfIdle)
      }
    },
    destroy,
  }
}

export declare namespace openHttp2 {
  type Options = {
    /** `http://HOST:PORT`, or `https://HOST:PORT` for TLS. */
    address: string
    /** Milliseconds without traffic after which the connection ends. */
    idle: number
    /** Most bytes of a response. */
    maxLength: number
    /** Called when the connection takes no further requests. */
    onRetired: () => void
  }
}

type Request = {
  readonly body: Buffer
  readonly done: (result: Error | Http2Response) => void
  readonly fields: Buffer
  /** The number of its stream; 0 while it waits. */
  id: number
  readonly response: Http2Response
}

/** Types of frames. */
const DATA = 0
const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const PUSH_PROMISE = 5
const PING = 6
const GOAWAY = 7
const WINDOW_UPDATE = 8
const CONTINUATION = 9

/** Flags. */
const END_STREAM = 1
const ACK = 1
const END_HEADERS = 4
const PADDED = 8
const PRIORITY = 0x20

/** Settings, and the ones that this side announces. */
const HEADER_TABLE_SIZE = 1
const ENABLE_PUSH = 2
const MAX_CONCURRENT_STREAMS = 3
const INITIAL_WINDOW_SIZE = 4
const LARGEST_WINDOW = 2 ** 31 - 1
const OWN_SETTINGS: readonly (readonly [number, number])[] = [
  [HEADER_TABLE_SIZE, 0],
  [ENABLE_PUSH, 0],
  // A response is kept whole, so only its limit bounds it.
  [INITIAL_WINDOW_SIZE, LARGEST_WINDOW],
]

/** Most requests at a time, also where the node allows more. */
const MOST_STREAMS = 100

/** Bytes that the node may send before this side gives some back. */
const OWN_WINDOW = 32 * 1024 * 1024
const DEFAULT_WINDOW = 65_535

const FRAME_HEAD = 9
const SETTING_LENGTH = 6
const PRIORITY_LENGTH = 5
/** Largest payload of a frame that neither side has announced otherwise. */
const MAX_FRAME = 16_384
/** Most bytes of header fields. */
const MAX_FIELDS = 65_536
/** Numbers of streams have 31 bits. */
const LAST_ID = 2 ** 31 - 1
/** The error code of a request that is no longer needed. */
const CANCEL = 8

const EMPTY = Buffer.alloc(0)

function connect({ hostname, port, protocol }: URL): net.Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol === 'http:') return net.connect({ host, port: Number(port || 80) })
  return tls.connect({
    ALPNProtocols: ['h2'],
    host,
    port: Number(port || 443),
    ...(net.isIP(host) === 0 && { servername: host }),
  })
}

function frame(type: number, flags: number, id: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEAD + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(id, 5)
  payload.copy(bytes, FRAME_HEAD)
  return bytes
}

function settings(list: typeof OWN_SETTINGS): Buffer {
  const bytes = Buffer.alloc(list.length * SETTING_LENGTH)
  for (const [index, [name, value]] of list.entries()) {
    bytes.writeUInt16BE(name, index * SETTING_LENGTH)
    bytes.writeUInt32BE(value, index * SETTING_LENGTH + 2)
  }
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** The payload of a frame without its padding. */
function unpadded(flags: number, payload: Buffer): Buffer {
  if ((flags & PADDED) === 0) return payload
  const end = payload.length - (payload[0] ?? 0)
  if (end < 1) throw malformed()
  return payload.subarray(1, end)
}

function malformed(): Http2Error {
  return new Http2Error('the node does not follow HTTP/2')
}
