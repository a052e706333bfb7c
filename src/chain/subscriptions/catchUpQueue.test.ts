import { expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { createCatchUpQueue } from './catchUpQueue.ts'

type Job = { name: string; socket: { client: string; id: string }; parts: number }

const job = (socket: string, name: string, parts: number, client = socket): Job => ({
  name,
  parts,
  socket: { client, id: socket },
})

/** Runs jobs and resolves when all are done. */
async function run(jobs: Job[], take: (job: Job) => Promise<void> = async () => {}) {
  const parts: string[] = []
  const errors: unknown[] = []
  const state = { now: 0, most: 0, sockets: new Set<string>() }
  await new Promise<void>((resolve) => {
    let left = jobs.length
    const end = () => {
      left -= 1
      if (left === 0) resolve()
    }
    const queue = createCatchUpQueue<Job>({
      isOpen: () => true,
      onDone: end,
      onError(error) {
        errors.push(error)
        end()
      },
      async take(one) {
        expect(state.sockets.has(one.socket.id)).toBe(false)
        state.sockets.add(one.socket.id)
        state.most = Math.max(state.most, ++state.now)
        await new Promise(setImmediate)
        state.now -= 1
        state.sockets.delete(one.socket.id)
        await take(one)
        parts.push(one.name)
        one.parts -= 1
        return one.parts > 0
      },
    })
    for (const one of jobs) queue.add(one)
  })
  return { errors, most: state.most, parts }
}

test('default: the jobs of a socket take turns', async () => {
  const { parts } = await run([job('1', 'a', 3), job('1', 'b', 1), job('1', 'c', 2)])
  expect(parts).toEqual(['a', 'b', 'c', 'a', 'c', 'a'])
})

test('behavior: serves a limited number of sockets at a time, and all of them', async () => {
  const jobs = Array.from({ length: 60 }, (_, index) => job(`${index % 30}`, `${index}`, 2))
  const { most, parts } = await run(jobs)
  expect(most).toBe(8)
  expect(parts).toHaveLength(120)
})

test('error: a job that fails is dropped, the others continue', async () => {
  const { errors, parts } = await run([job('1', 'bad', 5), job('1', 'good', 2)], async (one) => {
    if (one.name === 'bad') throw new Error('no')
  })
  expect(parts).toEqual(['good', 'good'])
  expect(errors).toEqual([new Error('no')])
})

test('behavior: jobs that are added when one has ended are run one at a time', async () => {
  const parts: string[] = []
  let running = 0
  const queue = createCatchUpQueue<Job>({
    isOpen: () => true,
    onDone({ name }) {
      if (name !== 'first') return
      queue.add(job('1', 'long', 2))
      queue.add(job('1', 'short', 1))
    },
    onError: () => {},
    async take(one) {
      expect(++running).toBe(1)
      // Uses up the time slice, so that the queue waits after the first job.
      for (const end = performance.now() + 4; performance.now() < end;);
      await new Promise((resolve) => setTimeout(resolve, one.name === 'long' ? 20 : 0))
      running--
      parts.push(one.name)
      return --one.parts > 0
    },
  })
  queue.add(job('1', 'first', 1))
  await until(() => expect(parts).toEqual(['first', 'long', 'short', 'long']))
})

test('error: a failure after the last part is reported, and the next job runs', async () => {
  const failure = new Error('no')
  const errors: unknown[] = []
  await new Promise<void>((resolve) => {
    const queue = createCatchUpQueue<Job>({
      isOpen: () => true,
      onDone({ name }) {
        if (name === 'bad') throw failure
        resolve()
      },
      onError: (error) => errors.push(error),
      take: async () => false,
    })
    queue.add(job('1', 'bad', 1))
    queue.add(job('1', 'good', 1))
  })
  expect(errors).toEqual([failure])
})

test('behavior: other work runs between the parts', async () => {
  let others = 0
  let isOver = false
  const other = () => {
    others += 1
    if (!isOver) setImmediate(other)
  }
  setImmediate(other)
  await new Promise<void>((resolve) => {
    let left = 8
    const queue = createCatchUpQueue<Job>({
      isOpen: () => true,
      onDone: () => --left === 0 && resolve(),
      onError: () => {},
      // Parts that never wait, like those that are answered from a cache.
      async take(one) {
        for (const end = performance.now() + 4; performance.now() < end;);
        return --one.parts > 0
      },
    })
    for (let socket = 0; socket < left; socket++) queue.add(job(`${socket}`, 'a', 10))
  })
  isOver = true
  // Two parts use up the time slice of a tick, so there are at least forty ticks.
  expect(others).toBeGreaterThanOrEqual(30)
})

test('behavior: a client that reads slowly on many connections leaves places to others', async () => {
  let most = 0
  const served = await new Promise<Job>((resolve) => {
    const queue = createCatchUpQueue<Job>({
      isOpen: () => true,
      onDone: resolve,
      onError: () => {},
      async take({ socket }) {
        if (socket.client === 'slow') {
          most++
          await new Promise(() => {})
        }
        return false
      },
    })
    for (let socket = 0; socket < 20; socket++) queue.add(job(`${socket}`, 'slow', 1, 'slow'))
    queue.add(job('20', 'other', 1))
  })
  expect(served.name).toBe('other')
  expect(most).toBe(4)
})
