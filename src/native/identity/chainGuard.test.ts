import { expect, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { NodeTimeoutError, NodeUnreachableError } from '../errors.ts'
import type { NativePath } from '../transport/transport.ts'
import { createChainGuard } from './chainGuard.ts'

const STATE: NativePath = '/wallet/getaccount'
const CHECK: NativePath = '/wallet/getblock'

/** A guard in front of two chains with a switch, and its clock. */
function setup({
  isKnown = true,
  onCall = () => {},
  timeout = 20_000,
}: { isKnown?: boolean; onCall?: () => void; timeout?: number } = {}) {
  const ours = createScriptedChain()
  const other = createScriptedChain({ seed: 'other' })
  const way = { hangs: false, isDown: false, to: ours }
  const clock = { now: 0 }
  const calls: string[] = []
  const to = async (path: NativePath, body: string | undefined) => {
    calls.push(path)
    if (way.isDown) throw new NodeUnreachableError()
    if (way.hangs && path === CHECK) await new Promise(() => {})
    return way.to.transport.send(path, body, { idempotent: true })
  }
  const guard = createChainGuard({
    checker: { send: to },
    now: () => clock.now,
    timeout,
    transport: {
      async send(path, body) {
        onCall()
        return to(path, body)
      },
    },
  })
  if (isKnown) guard.expect(ours.genesis.slice(2))
  const read = (path = STATE) => guard.send(path, '{}', { idempotent: true })
  const send = () => guard.send('/wallet/broadcasthex', '{}', { idempotent: false })
  const checks = () => calls.filter((path) => path === CHECK).length
  /** The time between two checks has passed, or the time for which one counts. */
  const pass = (milliseconds = 100) => (clock.now += milliseconds)
  return { calls, checks, guard, other, ours, pass, read, send, way }
}

const refused = expect.objectContaining({
  code: -32603,
  message: 'the upstream node serves another chain than before',
}) as Error

test('default: answers share a check', async () => {
  const { calls, pass, read } = setup()
  pass()
  await Promise.all([read(), read(), read()])
  await read()
  expect(calls).toEqual([STATE, STATE, STATE, CHECK, STATE])
})

test('default: the first check decides which chain it is, where that is not known', async () => {
  const { other, pass, read, way } = setup({ isKnown: false })
  expect(await read()).toMatchObject({ status: 200 })
  way.to = other
  pass()
  await expect(read()).rejects.toEqual(refused)
})

test('behavior: an answer that shows the chain needs no check', async () => {
  const { checks, guard, ours, read } = setup()
  const hash = ours.mine().hash.slice(2)
  guard.setFloor({ hashAt: (number) => (number === 1 ? hash : undefined), head: 1, solid: 0 })
  await read('/wallet/getnowblock')
  expect(checks()).toBe(0)
})

test('behavior: after a new connection nothing of another chain is passed on', async () => {
  const { guard, other, ours, pass, read, way } = setup()
  await read()
  way.to = other
  pass(50)
  guard.invalidate()
  await expect(read()).rejects.toEqual(refused)
  way.to = ours
  pass(2)
  expect(await read()).toMatchObject({ status: 200 })
})

test('behavior: after a failure nothing of another chain is passed on', async () => {
  const { other, pass, read, way } = setup()
  await read()
  pass(50)
  way.isDown = true
  await expect(read()).rejects.toThrow(NodeUnreachableError)
  way.isDown = false
  way.to = other
  await expect(read()).rejects.toEqual(refused)
})

test('behavior: a check counts for a moment', async () => {
  const { checks, other, pass, read, way } = setup()
  await read()
  pass(33)
  await read()
  expect(checks()).toBe(1)
  // The next check begins with a call before it is needed, so that no answer waits for it.
  pass(1)
  await read()
  expect(checks()).toBe(2)
  way.to = other
  pass(33)
  await read()
  expect(checks()).toBe(2)
  pass(67)
  await expect(read()).rejects.toEqual(refused)
})

test('behavior: nothing is sent to another chain', async () => {
  const { calls, other, send, way } = setup()
  way.to = other
  await expect(send()).rejects.toEqual(refused)
  expect(calls).toEqual([CHECK])
})

test('behavior: a node that closes each connection is not checked with each answer', async () => {
  const made: ReturnType<typeof setup> = setup({ onCall: () => made.guard.invalidate() })
  const { checks, pass, read } = made
  for (let count = 0; count < 100; count++) await read()
  const few = checks()
  expect(few).toBeLessThan(50)
  pass()
  await read()
  expect(checks()).toBe(few + 1)
})

test('error: a node that does not tell its chain', async () => {
  const { guard, read, way } = setup()
  way.to = createScriptedChain({ start: 5 })
  guard.invalidate()
  await expect(read()).rejects.toMatchObject({ code: -32603 })
})

test('error: a node that does not answer the check in the time of the call', async () => {
  const { guard, read, send, way } = setup({ timeout: 50 })
  way.hangs = true
  await expect(read()).rejects.toThrow(NodeTimeoutError)
  await expect(send()).rejects.toThrow(NodeTimeoutError)
  expect(guard.checking()).toBe(0)
})
