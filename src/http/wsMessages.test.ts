import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'

import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'

import { createHeldBytes } from '../lib/heldBytes.ts'
import { watchUnfinished } from './wsMessages.ts'

/** A socket and the events that the library makes of what arrives on it. */
function setup() {
  const ws = new EventEmitter() as EventEmitter & WebSocket
  const socket = new PassThrough()
  socket.on('data', () => {})
  const held = createHeldBytes({ limit: 1_000, share: 1_000 })
  const cuts: string[] = []
  const unfinished = watchUnfinished(ws, socket, {
    cut: (reason) => cuts.push(reason),
    hold: held.hold('a', 'frames'),
    timeLimit: 60,
  })
  const arrive = async (bytes: number) => {
    socket.write(Buffer.alloc(bytes))
    await new Promise(setImmediate)
  }
  return { arrive, cuts, held, unfinished, ws }
}

test('default', async () => {
  const { arrive, cuts, held, unfinished, ws } = setup()
  await arrive(100)
  unfinished.tick(0)
  await arrive(100)
  expect(held.total()).toBe(100)
  unfinished.tick(59)
  expect(cuts).toEqual([])
  unfinished.tick(60)
  expect(cuts).toEqual(['a message takes too long'])
  ws.emit('message')
  expect(held.total()).toBe(0)
})

test('behavior: each message has its own time, and pings and pongs are none', async () => {
  const { arrive, cuts, unfinished, ws } = setup()
  for (let time = 0; time < 500; time += 50) {
    await arrive(100)
    unfinished.tick(time)
    ws.emit('message')
    unfinished.tick(time)
    await arrive(6 + 4)
    ws.emit('pong', Buffer.alloc(4))
    unfinished.tick(time)
  }
  expect(cuts).toEqual([])
  await arrive(100)
  unfinished.tick(1_000)
  await arrive(6)
  ws.emit('ping', Buffer.alloc(0))
  unfinished.tick(1_060)
  expect(cuts).toEqual(['a message takes too long'])
})

test('error: more bytes than may be held', async () => {
  const { arrive, cuts } = setup()
  for (let at = 0; at < 12; at++) await arrive(100)
  expect(cuts).toEqual(['too many bytes are held'])
})
