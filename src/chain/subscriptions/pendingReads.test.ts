import { expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { createPendingReads } from './pendingReads.ts'
import type { RpcSocket } from './socket.ts'

const hash = (digit: string) => `0x${digit.repeat(64)}` as const

/** A socket that may read while the test lets it. */
function createReader(read: (hash: string) => Promise<object | undefined>, most = 10) {
  const scene = { mayRead: true, isOpen: true, sent: [] as unknown[], warnings: 0 }
  const socket = {
    id: 'a',
    client: 'a',
    settle: () => scene.mayRead,
    send: (text: string) =>
      scene.sent.push((JSON.parse(text) as { params: { result: unknown } }).params.result),
  } as unknown as RpcSocket
  const reads = createPendingReads(
    { id: '0x1', read, socket },
    { isOpen: () => scene.isOpen, log: { warn: () => void scene.warnings++ }, most },
  )
  return { reads, scene }
}

test('default: whole transactions in the order of their hashes; one that is gone is left out', async () => {
  const { reads, scene } = createReader(async (one) =>
    one === hash('2') ? undefined : { hash: one },
  )
  expect(reads.add([hash('1'), hash('2')])).toBe(true)
  expect(reads.add([hash('3')])).toBe(true)
  await until(() => expect(scene.sent).toEqual([{ hash: hash('1') }, { hash: hash('3') }]))
})

test('behavior: a client over its limits waits, and a read that fails is repeated', async () => {
  let failures = 1
  const { reads, scene } = createReader(async (one) => {
    if (failures-- > 0) throw new Error('the node failed')
    return { hash: one }
  })
  scene.mayRead = false
  reads.add([hash('1')])
  await new Promise(setImmediate)
  expect(failures).toBe(1)
  scene.mayRead = true
  await until(() => expect(scene.sent).toEqual([{ hash: hash('1') }]))
  expect(scene.warnings).toBe(0)
})

test('behavior: nothing is read after the subscription has ended', async () => {
  const asked: string[] = []
  const { reads, scene } = createReader(async (one) => {
    asked.push(one)
    scene.isOpen = false
    return { hash: one }
  })
  reads.add([hash('1'), hash('2')])
  await new Promise(setImmediate)
  expect([asked, scene.sent]).toEqual([[hash('1')], []])
})

test('error: more hashes than may wait', () => {
  const { reads } = createReader(() => new Promise(() => {}), 2)
  expect(reads.add([hash('1'), hash('2')])).toBe(true)
  expect(reads.add([hash('3'), hash('4')])).toBe(false)
})
