import { expect, test } from 'vitest'

import { createRegistry, type Subscription } from './registry.ts'
import type { RpcSocket } from './socket.ts'

function createSocket(id: string, client = 'a') {
  const listeners = new Set<() => void>()
  const socket: RpcSocket = {
    id,
    client,
    send() {},
    buffered: () => 0,
    settle: () => true,
    close() {},
    onClose(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  return { socket, end: () => listeners.forEach((listener) => listener()), listeners }
}

const subscription = (socket: RpcSocket, id: string): Subscription => ({
  id,
  kind: 'newPendingTransactions',
  early: [],
  bytes: 0,
  socket,
  started: false,
})

test('default: a subscription counts by kind until it is removed or its socket ends', () => {
  let changes = 0
  const registry = createRegistry({
    give() {},
    onChange: () => changes++,
    perClient: 9,
    perSocket: 9,
  })
  const { end, socket } = createSocket('1')
  const first = subscription(socket, '0x1')
  registry.add(first)
  registry.add(subscription(socket, '0x2'))
  expect([...registry.ofKind('newPendingTransactions')].map(({ id }) => id)).toEqual(['0x1', '0x2'])
  expect(registry.ofKind('chain').size).toBe(0)
  expect(registry.remove(createSocket('2').socket, '0x1')).toBe(false)
  expect(registry.remove(socket, '0x1')).toBe(true)
  expect([registry.has(first), registry.count()]).toEqual([false, 1])
  end()
  expect(registry.count()).toBe(0)
  expect(changes).toBe(4)
})

test('behavior: a connection is in use only while it has subscriptions', () => {
  const registry = createRegistry({ give() {}, onChange() {}, perClient: 9, perSocket: 9 })
  const { listeners, socket } = createSocket('1')
  for (let round = 0; round < 2; round++) {
    registry.add(subscription(socket, '0x1'))
    registry.add(subscription(socket, '0x2'))
    registry.remove(socket, '0x1')
    expect(listeners.size).toBe(1)
    registry.remove(socket, '0x2')
    expect(listeners.size).toBe(0)
  }
})

test('error: limits of a connection and of a client', () => {
  const registry = createRegistry({ give() {}, onChange() {}, perClient: 3, perSocket: 2 })
  const [one, two] = [createSocket('1').socket, createSocket('2').socket]
  registry.add(subscription(one, '0x1'))
  registry.add(subscription(one, '0x2'))
  expect(() => registry.add(subscription(one, '0x3'))).toThrow('of one connection: 2')
  registry.add(subscription(two, '0x4'))
  expect(() => registry.add(subscription(two, '0x5'))).toThrow('of one client: 3')
})

test('behavior: every change takes constant time for any number of subscriptions', () => {
  // Visiting all of them at every change would take 10^10 steps, far beyond the timeout of a test.
  const COUNT = 100_000
  let wanted = 0
  const registry = createRegistry({
    give() {},
    onChange: () => (wanted = registry.ofKind('newPendingTransactions').size),
    perClient: COUNT,
    perSocket: 256,
  })
  const sockets = Array.from({ length: Math.ceil(COUNT / 256) }, (_, id) => createSocket(`${id}`))
  for (let id = 0; id < COUNT; id++)
    registry.add(subscription((sockets[id >> 8] as (typeof sockets)[number]).socket, `0x${id}`))
  expect(wanted).toBe(COUNT)
  for (const { end } of sockets) end()
  expect([wanted, registry.count()]).toEqual([0, 0])
})
