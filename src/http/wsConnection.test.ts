import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

import { expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'

import { until } from '../../test/support/until.ts'
import { createTimeSlice, type TimeSlice } from '../lib/timeSlice.ts'
import type { Caller } from '../limits/caller.ts'
import { UnauthorizedError } from '../limits/refusal.ts'
import type { RpcServer } from '../rpc/jsonrpc/server.ts'
import { createUnsent } from './unsent.ts'
import { createWsConnection } from './wsConnection.ts'

const IDLE = 60_000

/** Both ends of a real connection; the clock changes only when a test sets it. */
async function setup(answer: RpcServer['answer'] = async () => undefined, shared?: TimeSlice) {
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
  const key = { caller: { id: 'test', scope: 'address', limits: {} } as Caller }
  const connection = createWsConnection(
    ws,
    { answer },
    {
      bufferLimit: 1_000_000,
      caller: () => key.caller,
      limits: { charge() {}, isOver: () => false },
      idleTimeout: IDLE,
      now: () => clock.now,
      onCut: (reason) => cuts.push(reason),
      onError: () => {},
      timeSlice: shared ?? createTimeSlice({ now: () => clock.now }),
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
  return { client, clock, connection, cuts, key, pings, pongs, tickAt, ws }
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

test('behavior: closes one whose API key was revoked, with 1008', async () => {
  const { client, cuts, key, tickAt } = await setup()
  const closed = once(client, 'close')
  tickAt(1)
  expect(cuts).toEqual([])
  key.caller = { ...key.caller, refused: new UnauthorizedError('it was revoked') }
  tickAt(2)
  const [code, reason] = (await closed) as [number, Buffer]
  expect([code, String(reason)]).toEqual([1008, 'the API key may not be used any more'])
})

test('behavior: closes one whose API key may call less than before, with 1008', async () => {
  const { client, key, tickAt } = await setup()
  const closed = once(client, 'close')
  const entry = { name: 'a', sha256: '', limits: {} }
  key.caller = { ...key.caller, key: { ...entry, contracts: new Set(['0x']) } }
  tickAt(1)
  const [code, reason] = (await closed) as [number, Buffer]
  expect([code, String(reason)]).toEqual([1008, 'the permissions of the API key have changed'])
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

test('error: a request that fails closes the connection, because its client waits for an answer', async () => {
  const { client, connection } = await setup(() => Promise.reject(new Error('broken')))
  const closed = once(client, 'close')
  connection.receive('{}')
  const [code, reason] = (await closed) as [number, Buffer]
  expect([code, String(reason)]).toEqual([1011, 'a request failed'])
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

test('behavior: connections with many requests take turns, and one that comes later need not wait for all', async () => {
  const clock = { now: 0 }
  const timeSlice = createTimeSlice({ budget: 5, now: () => clock.now })
  const begun: string[] = []
  /** Each request takes a millisecond. */
  const answer = async (text: string) => {
    begun.push(text)
    clock.now++
    return undefined
  }
  const [first, second, light] = [
    await setup(answer, timeSlice),
    await setup(answer, timeSlice),
    await setup(answer, timeSlice),
  ]
  for (let count = 0; count < 50; count++) first.connection.receive('first')
  for (let count = 0; count < 50; count++) second.connection.receive('second')
  light.connection.receive('light')
  // No more than fits into the slice of this turn.
  expect(begun).toEqual(Array.from({ length: 5 }, () => 'first'))
  expect([first.ws.isPaused, second.ws.isPaused]).toEqual([true, true])
  await until(() => expect(begun).toHaveLength(101))
  expect(begun.slice(5, 11)).toEqual(['first', 'second', 'light', 'first', 'second', 'first'])
  await until(() => expect([first.ws.isPaused, second.ws.isPaused]).toEqual([false, false]))
})

test('behavior: connections that end together are removed in slices, each once', async () => {
  const clock = { now: 0 }
  const timeSlice = createTimeSlice({ budget: 5, now: () => clock.now })
  let told = 0
  const connections = await Promise.all(
    Array.from({ length: 8 }, async () => (await setup(undefined, timeSlice)).connection),
  )
  for (const { socket } of connections)
    socket.onClose(() => {
      told++
      clock.now += 2
    })
  for (const connection of connections) connection.closed()
  expect(told).toBe(3)
  await until(() => expect(told).toBe(8))
  for (const connection of connections) connection.closed()
  expect(told).toBe(8)
})
