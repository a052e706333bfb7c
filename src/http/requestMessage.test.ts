import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'

import { until } from '../../test/support/until.ts'
import { RequestMessage } from './requestMessage.ts'

/** A server that collects bodies of at most ten bytes, and a connection to it. */
async function setup(onBody: (incoming: RequestMessage, body: Buffer | undefined) => void) {
  const server = createServer({ IncomingMessage: RequestMessage }, (incoming, outgoing) =>
    incoming.collect(10, (body) => {
      onBody(incoming, body)
      outgoing.end(String(body))
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => (received += text))
  onTestFinished(() => {
    socket.destroy()
    server.close()
  })
  return { received: () => received, socket, server }
}

const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\n'

test('default', async () => {
  const bodies: string[] = []
  const { received, socket } = await setup((_, body) => bodies.push(String(body)))
  socket.write(`${HEAD}content-length: 5\r\n\r\n`)
  for (const letter of 'hello') {
    await new Promise((resolve) => setTimeout(resolve, 2))
    socket.write(letter)
  }
  await until(() => expect(received()).toContain('hello'))
  socket.write(`${HEAD}content-length: 0\r\n\r\n${HEAD}transfer-encoding: chunked\r\n\r\n`)
  socket.write('2\r\nab\r\n1\r\nc\r\n0\r\n\r\n')
  await until(() => expect(bodies).toEqual(['hello', '', 'abc']))
})

test('behavior: a request that has its answer does not end the connection', async () => {
  const requests: RequestMessage[] = []
  const { received, socket } = await setup((incoming) => requests.push(incoming))
  socket.write(`${HEAD}content-length: 1\r\n\r\na`)
  await until(() => expect(received()).toContain('200 OK'))
  requests[0]?.destroy()
  socket.write(`${HEAD}content-length: 1\r\n\r\nb`)
  await until(() => expect(requests).toHaveLength(2))
  expect(requests.map(({ readableEnded }) => readableEnded)).toEqual([true, true])
})

test('error: over the limit, after which the rest is a stream', async () => {
  const rest: string[] = []
  const { received, socket } = await setup((incoming, body) => {
    expect(body).toBeUndefined()
    incoming.on('data', (chunk: Buffer) => rest.push(chunk.toString()))
    incoming.on('end', () => rest.push('end'))
  })
  socket.write(`${HEAD}transfer-encoding: chunked\r\n\r\n8\r\n12345678\r\n`)
  socket.write('3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n')
  await until(() => expect(rest).toEqual(['def', 'end']))
  await until(() => expect(received()).toContain('undefined'))
})

test('error: a client that leaves gets no call back', async () => {
  const bodies: unknown[] = []
  const { server, socket } = await setup((_, body) => bodies.push(body))
  socket.write(`${HEAD}content-length: 5\r\n\r\nhel`)
  await new Promise((resolve) => server.once('request', resolve))
  socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  expect(bodies).toEqual([])
})
