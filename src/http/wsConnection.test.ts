import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { until } from '../../test/until.ts'
import type { RpcServer } from '../jsonrpc/server.ts'
import { createUnsent } from './unsent.ts'
import { createWsConnection } from './wsConnection.ts'

const IDLE = 60_000

/** Both ends of a real connection; the clock stands still until a test moves it. */
async function setup(answer: RpcServer['answer'] = async () => undefined) {
  const server = new WebSocketServer({ port: 0 })
  onTestFinished(() => server.close())
  const { port } = server.address() as AddressInfo
  const accepted = once(server, 'connection')
  const client = new WebSocket(`ws://127.0.0.1:${port}`)
  onTestFinished(() => client.terminate())
  const [ws] = (await accepted) as [WebSocket]
  await once(client, 'open')
  const cuts: string[] = []
  const clock = { now: 0 }
  const connection = createWsConnection(
    ws,
    { answer },
    {
      bufferLimit: 1_000_000,
      client: 'test',
      idleTimeout: IDLE,
      now: () => clock.now,
      onCut: (reason) => cuts.push(reason),
      onError: () => {},
      unsent: createUnsent({ limit: 1_000_000 }),
    },
  )
  ws.on('close', () => connection.closed())
  const pings: true[] = []
  client.on('ping', () => pings.push(true))
  const pongs: true[] = []
  ws.on('pong', () => pongs.push(true))
  const tickAt = (time: number) => {
    clock.now = time
    connection.tick(time)
  }
  return { client, clock, connection, cuts, pings, pongs, tickAt, ws }
}

test('behavior: pings while it is not idle', async () => {
  const { cuts, pings, pongs, tickAt } = await setup()
  tickAt(IDLE - 1)
  await until(() => expect(pongs).toHaveLength(1))
  tickAt(IDLE - 1)
  await until(() => expect(pings).toHaveLength(2))
  expect(cuts).toEqual([])
})

test('behavior: closes an idle one', async () => {
  const { client, cuts, tickAt } = await setup()
  const closed = once(client, 'close')
  tickAt(IDLE)
  const [code, reason] = (await closed) as [number, Buffer]
  expect([code, reason.toString(), cuts]).toEqual([1000, 'idle', ['idle']])
})

test('behavior: requests and notifications keep it from being idle', async () => {
  const { clock, connection, cuts, pings, pongs, tickAt } = await setup()
  clock.now = IDLE - 1
  connection.receive('{}')
  tickAt(IDLE)
  await until(() => expect(pongs).toHaveLength(1))
  clock.now = 2 * IDLE - 2
  connection.socket.send('{}')
  tickAt(2 * IDLE)
  await until(() => expect(pings).toHaveLength(2))
  expect(cuts).toEqual([])
})

test('behavior: one with subscriptions is never idle', async () => {
  const { connection, cuts, pings, tickAt } = await setup()
  connection.socket.onClose(() => {})
  tickAt(10 * IDLE)
  await until(() => expect(pings).toHaveLength(1))
  expect(cuts).toEqual([])
})

test('behavior: a peer is not cut for pongs that are not read', async () => {
  const { client, connection, cuts, pings, tickAt, ws } = await setup(() => new Promise(() => {}))
  for (let count = 0; count < 63; count++) connection.receive('{}')
  tickAt(1)
  await until(() => expect(pings).toHaveLength(1))
  connection.receive('{}')
  expect(ws.isPaused).toBe(true)
  tickAt(2)
  tickAt(3)
  expect(cuts).toEqual([])
  expect(client.readyState).toBe(client.OPEN)
})

test('behavior: cuts a peer that does not answer a ping', async () => {
  const { client, connection, cuts, tickAt } = await setup()
  client.pause()
  const ended = vi.fn<() => void>()
  connection.socket.onClose(ended)
  tickAt(1)
  tickAt(2)
  expect(cuts).toEqual(['no answer to ping'])
  await until(() => expect(ended).toHaveBeenCalledOnce())
})
