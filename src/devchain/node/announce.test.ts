import { expect, onTestFinished, test, vi } from 'vitest'

import type { Head } from '../../chain/head/headTypes.ts'
import type { AroundCall } from '../../rpc/jsonrpc/call.ts'
import { createDevChain } from '../index.ts'
import { createAnnouncer } from './announce.ts'

const call = {} as Parameters<AroundCall>[0]

test('behavior: a call that follows a deferred change waits for it', async () => {
  const { announced, around, defer } = createAnnouncer(
    await createDevChain({ accounts: { count: 1 } }),
  )
  let end = () => {}
  const change = new Promise<void>((resolve) => (end = resolve))
  const steps: string[] = []
  expect(around(call, () => 'at once')).toBe('at once')
  defer(change)
  const later = Promise.resolve(around(call, () => steps.push('call')))
  const waiting = announced().then(() => steps.push('announced'))
  await new Promise(setImmediate)
  expect(steps).toEqual([])
  end()
  await Promise.all([later, waiting])
  expect(steps.toSorted()).toEqual(['announced', 'call'])
  expect(around(call, () => 'at once')).toBe('at once')
})

test('behavior: waits for all deferred changes, also after one that failed', async () => {
  const { around, defer } = createAnnouncer(await createDevChain({ accounts: { count: 1 } }))
  let end = () => {}
  defer(Promise.reject(new Error('a listener failed')))
  defer(new Promise((resolve) => (end = resolve)))
  defer(Promise.resolve())
  let ran = false
  const later = Promise.resolve(around(call, () => (ran = true)))
  await new Promise(setImmediate)
  expect(ran).toBe(false)
  end()
  await later
  expect(ran).toBe(true)
})

test('behavior: wraps calls with the given function', async () => {
  const chain = await createDevChain({ accounts: { count: 1 } })
  const { around } = createAnnouncer(chain, async (_, run) => ['wrapped', await run()])
  expect(await around(call, () => 1)).toEqual(['wrapped', 1])
  const error = new Error('a call failed')
  await expect(around(call, () => Promise.reject(error))).rejects.toBe(error)
})

test('behavior: answers before a deferred change ends, and the given function sees its end', async () => {
  const chain = await createDevChain({ accounts: { count: 1 } })
  const steps: unknown[] = []
  const { around, defer } = createAnnouncer(chain, async (_, run) => steps.push(await run()))
  let end = () => {}
  const answer = around(call, () => {
    defer(new Promise((resolve) => (end = resolve)))
    return 'answer'
  })
  expect(await answer).toBe('answer')
  await new Promise(setImmediate)
  expect(steps).toEqual([])
  end()
  await around(call, () => 'next')
  expect(steps).toEqual(['answer', 'next'])
})

test('behavior: waits for many blocks for as long as the gateway follows them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { chain, seeTo } = await followedChain()
  let isOver = false
  const mined = chain.mineMany(5).then(() => (isOver = true))
  await vi.waitFor(() => expect(chain.ledger.head().header.number).toBe(5))
  for (let seen = 0; seen < 5; seen++) {
    seeTo(seen)
    vi.advanceTimersByTime(8_000)
    await new Promise(setImmediate)
    expect(isOver).toBe(false)
  }
  seeTo(5)
  await mined
})

test('behavior: does not wait for a block that a revert removed before the gateway saw it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { chain, seeTo } = await followedChain()
  const snapshot = chain.snapshot()
  const mined = chain.mineMany(2)
  await vi.waitFor(() => expect(chain.ledger.head().header.number).toBe(2))
  const reverted = chain.revert(snapshot)
  await vi.waitFor(() => expect(chain.ledger.head().header.number).toBe(0))
  seeTo(0)
  await Promise.all([mined, reverted])
})

test('behavior: nor when the gateway has seen all that is left', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { chain } = await followedChain()
  const snapshot = chain.snapshot()
  const mined = chain.mineMany(2)
  await vi.waitFor(() => expect(chain.ledger.head().header.number).toBe(2))
  await Promise.all([mined, chain.revert(snapshot)])
})

/** A chain that is announced to a gateway, which sees as much of it as the test says. */
async function followedChain() {
  const chain = await createDevChain({ accounts: { count: 1 } })
  const { announceTo } = createAnnouncer(chain)
  const listeners = new Set<() => void>()
  let seen = 0
  const head = {
    latest: () => ({ hash: `0x${chain.ledger.block(seen)?.id}` }),
    onUpdate(listener: () => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    pollNow() {},
  }
  announceTo(head as unknown as Head)
  return {
    chain,
    seeTo: (number: number) => {
      seen = number
      for (const listener of listeners) listener()
    },
  }
}
