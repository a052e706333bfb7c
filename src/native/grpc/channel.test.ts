import { once } from 'node:events'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test, vi } from 'vitest'

import { createGrpcChannel } from './channel.ts'

const ANSWER = Buffer.from('answer')
const LISTENED = ['data', 'response', 'trailers', 'close']

/** A node that answers each call with {@link ANSWER}. */
async function startNode() {
  const frame = Buffer.alloc(5 + ANSWER.length)
  frame.writeUInt32BE(ANSWER.length, 1)
  ANSWER.copy(frame, 5)
  const server = http2.createServer()
  server.on('stream', (stream) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(frame)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The streams of the calls that are made from now on. */
function watchStreams() {
  const streams: http2.ClientHttp2Stream[] = []
  const { connect } = http2
  const spy = vi
    .spyOn(http2, 'connect')
    .mockImplementation((...args: Parameters<typeof connect>) => {
      const session = connect(...args)
      const request = session.request.bind(session)
      session.request = (...of) => {
        const stream = request(...of)
        streams.push(stream)
        return stream
      }
      return session
    })
  onTestFinished(() => spy.mockRestore())
  return streams
}

// Node.js keeps a stream until a full garbage collection, and with its listeners the answer and the call.
test('behavior: a stream that has closed keeps no listener', async () => {
  const streams = watchStreams()
  const channel = createGrpcChannel({ address: await startNode() })
  onTestFinished(() => channel.close())
  const answer = channel.unary('/protocol.Wallet/Any', Buffer.alloc(0), { timeout: 5_000 })
  const [stream] = streams
  if (stream === undefined) throw new Error('no call was made')
  expect(LISTENED.map((event) => stream.listenerCount(event))).not.toContain(0)
  const closed = once(stream, 'close')
  expect(await answer).toEqual(ANSWER)
  await closed
  expect(LISTENED.map((event) => stream.listenerCount(event))).toEqual([0, 0, 0, 0])
})
