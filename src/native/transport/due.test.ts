import { once } from 'node:events'
import { connect } from 'node:net'
import { Worker } from 'node:worker_threads'

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'

import { createDueList, type DueEntry } from './due.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A list by the fake clock, what was due, and a function that makes entries. */
function setup() {
  type Entry = DueEntry & { name: string; whenDue: (() => void) | undefined }
  const fired: string[] = []
  const list = createDueList<Entry>({
    now: () => Date.now(),
    onDue({ name, whenDue }) {
      fired.push(name)
      whenDue?.()
    },
  })
  const entry = (name: string, dueIn: number, whenDue?: () => void): Entry => ({
    at: -1,
    dueAt: Date.now() + dueIn,
    name,
    whenDue,
  })
  return { entry, fired, list }
}

test('default', () => {
  const { entry, fired, list } = setup()
  for (const one of [entry('late', 200), entry('soon', 5), entry('later', 1_000)]) list.add(one)
  vi.advanceTimersByTime(20)
  expect(fired).toEqual(['soon'])
  vi.advanceTimersByTime(200)
  expect(fired).toEqual(['soon', 'late'])
  vi.advanceTimersByTime(1_000)
  expect(fired).toEqual(['soon', 'late', 'later'])
  expect(vi.getTimerCount()).toBe(0)
})

test('behavior: removed entries are not due, in any order of removal', () => {
  const { entry, fired, list } = setup()
  const entries = ['a', 'b', 'c', 'd'].map((name) => entry(name, 50))
  for (const one of entries) list.add(one)
  for (const index of [0, 3, 0]) list.remove(entries[index]!)
  vi.advanceTimersByTime(100)
  expect(fired.toSorted()).toEqual(['b', 'c'])
})

test('behavior: one that is due may add itself again and remove another', () => {
  const { entry, fired, list } = setup()
  const other = entry('other', 50)
  const first = entry('first', 50, () => {
    list.remove(other)
    if (fired.length > 1) return
    first.dueAt = Date.now() + 100
    list.add(first)
  })
  list.add(first)
  list.add(other)
  vi.advanceTimersByTime(500)
  expect(fired).toEqual(['first', 'first'])
})

test('behavior: calls that end in time share one timer', () => {
  const { entry, fired, list } = setup()
  const began = Date.now()
  for (let call = 0; call < 1_000; call++) {
    const one = entry('call', 10_000)
    list.add(one)
    vi.advanceTimersByTime(5)
    list.remove(one)
  }
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersToNextTimer()
  // It is still the timer of the first call.
  expect(Date.now() - began).toBe(10_000)
  // The check after it.
  vi.advanceTimersToNextTimer()
  expect(vi.getTimerCount()).toBe(0)
  list.add(entry('late', 10_000))
  vi.advanceTimersByTime(10_020)
  expect(fired).toEqual(['late'])
  expect(vi.getTimerCount()).toBe(0)
})

test('behavior: one that is due earlier than when it was added', () => {
  const { entry, fired, list } = setup()
  const one = entry('one', 10_000)
  list.add(one)
  one.dueAt = Date.now() + 50
  list.add(one)
  vi.advanceTimersByTime(70)
  expect(fired).toEqual(['one'])
  vi.advanceTimersByTime(20_000)
  expect(fired).toEqual(['one'])
})

test('behavior: one that is added when another is due', () => {
  const { entry, fired, list } = setup()
  list.add(entry('first', 50, () => list.add(entry('second', 0))))
  list.add(entry('last', 10_000))
  vi.advanceTimersByTime(80)
  expect(fired).toEqual(['first', 'second'])
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(10_000)
  expect(fired).toEqual(['first', 'second', 'last'])
  expect(vi.getTimerCount()).toBe(0)
})

test('behavior: an answer that arrived while the event loop was blocked is read before its call is due', async () => {
  vi.useRealTimers()
  const worker = new Worker(ECHO, { eval: true })
  onTestFinished(() => void worker.terminate())
  const [port] = (await once(worker, 'message')) as [number]
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')

  const fired: string[] = []
  const list = createDueList<DueEntry & { name: string }>({
    onDue: ({ name }) => void fired.push(name),
  })
  const dueAt = performance.now() + 50
  const answered = { at: -1, dueAt, name: 'answered' }
  list.add(answered)
  list.add({ at: -1, dueAt, name: 'never answered' })
  socket.once('data', () => list.remove(answered))
  socket.write('a call')
  // Lets the socket write before the event loop is blocked. The thread answers while it is blocked.
  await new Promise((resolve) => setImmediate(resolve))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)

  await expect.poll(() => fired).toContain('never answered')
  expect(fired).toEqual(['never answered'])
  socket.destroy()
})

/** A thread that answers what it gets. */
const ECHO = `
  const { createServer } = require('node:net')
  const { parentPort } = require('node:worker_threads')
  const server = createServer((socket) => socket.pipe(socket))
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`
