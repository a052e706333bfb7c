import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'

import { grpcRecording } from './recording.ts'

/** A call as the node receives it. `message` is the serialised request. */
export type GrpcRequest = {
  method: string
  message: Buffer
  headers: http2.IncomingHttpHeaders
  /** The stream of the answer, for faults. */
  stream: http2.ServerHttp2Stream
}

/** An answer instead of the recorded one; `taken` if the test answers, or the call gets no answer. */
export type GrpcReply = { bytes: Buffer } | { code: number; message?: string } | 'taken'

/** A node's gRPC interface for tests. */
export type GrpcNode = {
  /** Address of the interface. */
  url: string
  /** Methods that were called so far, without the service. */
  calls(): string[]
  /** Connections that are open now. */
  connections(): number
  /** Closes all connections. */
  disconnect(): void
  close(): Promise<void>
}

/** A node that returns the recorded answers of a real node's gRPC interface over a real socket. */
export async function startGrpcNode({
  intercept,
  port = 0,
  tls,
}: startGrpcNode.Options = {}): Promise<GrpcNode> {
  const calls: string[] = []
  const sessions = new Set<http2.ServerHttp2Session>()
  const server = tls ? http2.createSecureServer(tls) : http2.createServer()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
  })
  server.on('stream', (stream, headers) => {
    // The caller may have disconnected meanwhile.
    stream.on('error', () => {})
    void (async () => {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      const method = String(headers[':path']).split('/').at(-1) ?? ''
      const message = Buffer.concat(chunks).subarray(5)
      calls.push(method)
      const request = { headers, message, method, stream }
      const reply = (await intercept?.(request)) ?? recordedReply(request)
      if (reply !== 'taken') sendReply(stream, reply)
    })().catch((error: unknown) =>
      sendReply(stream, { code: UNKNOWN, message: encodeURIComponent(String(error)) }),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const disconnect = () => {
    for (const session of sessions) session.destroy()
  }
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => [...calls],
    connections: () => sessions.size,
    disconnect,
    async close() {
      disconnect()
      server.close()
      await once(server, 'close')
    },
  }
}

export declare namespace startGrpcNode {
  type Options = {
    /** Returns an answer instead of the recorded one; undefined for the recorded one. */
    intercept?: (request: GrpcRequest) => GrpcReply | undefined | Promise<GrpcReply | undefined>
    /** The port. @default a free one */
    port?: number
    /** Speaks TLS with this certificate. @default plain text */
    tls?: { cert: Buffer; key: Buffer }
  }
}

/** A message in the gRPC frame: uncompressed, with its length. */
export function framed(bytes: Buffer): Buffer {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt32BE(bytes.length, 1)
  return Buffer.concat([prefix, bytes])
}

/** Sends an answer with its gRPC status. */
export function sendReply(
  stream: http2.ServerHttp2Stream,
  reply: Exclude<GrpcReply, 'taken'>,
): void {
  const head = { ':status': 200, 'content-type': 'application/grpc' }
  if ('code' in reply) {
    const { code, message = '' } = reply
    stream.respond({ ...head, 'grpc-status': code, 'grpc-message': message }, { endStream: true })
    return
  }
  stream.respond(head, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
  stream.end(framed(reply.bytes))
}

/** gRPC statuses. */
const UNKNOWN = 2
const UNIMPLEMENTED = 12

function recordedReply({ message, method }: GrpcRequest): Exclude<GrpcReply, 'taken'> {
  if (method === 'GetBlockByLimitNext') return { bytes: blockList(message) }
  const answers = grpcRecording()[`/protocol.Wallet/${method}`]
  if (!answers) return { code: UNIMPLEMENTED, message: `Method not found: ${method}` }
  return { bytes: Buffer.from(answers[message.toString('hex')] ?? '', 'base64') }
}

/** The recorded blocks of a range as a `BlockList`. */
function blockList(message: Buffer): Buffer {
  const { 1: start = 0, 2: end = 0 } = numbersOf(message)
  const blocks = grpcRecording()['/protocol.Wallet/GetBlockByNum'] ?? {}
  const parts: Buffer[] = []
  for (let number = start; number < end; number++) {
    const key = number === 0 ? '' : Buffer.from([8, ...varint(number)]).toString('hex')
    const block = Buffer.from(blocks[key] ?? '', 'base64')
    if (block.length > 0) parts.push(Buffer.from([10, ...varint(block.length)]), block)
  }
  return Buffer.concat(parts)
}

/** The fields of a message of varints. */
function numbersOf(message: Buffer): Record<number, number> {
  const values: Record<number, number> = {}
  for (let at = 0; at < message.length;) {
    const field = (message[at++] ?? 0) >> 3
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = message[at++] ?? 0
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 128) break
    }
    values[field] = value
  }
  return values
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
}
