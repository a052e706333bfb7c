import { expect, test } from 'vitest'

import { createScriptedChain } from '../../test/chain.ts'
import { createChainGuard } from './chainGuard.ts'
import { NodeUnreachableError } from './errors.ts'
import type { NativePath } from './transport.ts'

const STATE: NativePath = '/wallet/getaccount'

/** A guard in front of two chains with a switch, and its clock. */
function setup({ onCall = () => {} }: { onCall?: () => void } = {}) {
  const ours = createScriptedChain()
  const other = createScriptedChain({ seed: 'other' })
  const way = { isDown: false, to: ours }
  const clock = { now: 0 }
  const calls: string[] = []
  const guard = createChainGuard({
    now: () => clock.now,
    transport: {
      async send(path, body) {
        calls.push(path)
        onCall()
        if (way.isDown) throw new NodeUnreachableError()
        return way.to.transport.send(path, body, { idempotent: true })
      },
      close: async () => {},
    },
  })
  guard.expect(ours.genesis.slice(2))
  const read = () => guard.transport.send(STATE, '{}', { idempotent: true })
  const send = () => guard.transport.send('/wallet/broadcasthex', '{}', { idempotent: false })
  return { calls, clock, guard, other, ours, read, send, way }
}

const refused = expect.objectContaining({
  code: -32603,
  message: 'the upstream node serves another chain than before',
}) as Error

test('default: answers of our chain cost nothing more', async () => {
  const { calls, read } = setup()
  await read()
  await read()
  expect(calls).toEqual([STATE, STATE])
})

test('behavior: after a new connection nothing of another chain is passed on', async () => {
  const { clock, guard, other, ours, read, way } = setup()
  way.to = other
  guard.suspect()
  await expect(read()).rejects.toEqual(refused)
  way.to = ours
  await expect(read()).rejects.toEqual(refused)
  clock.now += 1_000
  expect(await read()).toMatchObject({ status: 200 })
})

test('behavior: after a failure nothing of another chain is passed on', async () => {
  const { other, read, way } = setup()
  way.isDown = true
  await expect(read()).rejects.toThrow(NodeUnreachableError)
  way.isDown = false
  way.to = other
  await expect(read()).rejects.toEqual(refused)
})

test('behavior: without any sign the chain is checked now and then', async () => {
  const { calls, clock, other, read, way } = setup()
  way.to = other
  clock.now = 10_000
  await read()
  await new Promise(setImmediate)
  expect(calls).toEqual([STATE, '/wallet/getblock'])
  await expect(read()).rejects.toEqual(refused)
})

test('behavior: nothing is sent to another chain', async () => {
  const { calls, guard, other, send, way } = setup()
  way.to = other
  guard.suspect()
  await expect(send()).rejects.toEqual(refused)
  expect(calls).toEqual(['/wallet/getblock'])
})

test('behavior: many new connections cost one check', async () => {
  const { calls, guard, read } = setup()
  await Promise.all(
    Array.from({ length: 20 }, () => {
      guard.suspect()
      return read()
    }),
  )
  expect(calls.filter((path) => path === '/wallet/getblock')).toHaveLength(1)
})

test('behavior: a node that closes each connection is not checked with each answer', async () => {
  const made: ReturnType<typeof setup> = setup({ onCall: () => made.guard.suspect() })
  const { calls, clock, read } = made
  for (let count = 0; count < 20; count++) await read()
  expect(calls.filter((path) => path === '/wallet/getblock')).toHaveLength(3)
  clock.now += 1_000
  await read()
  expect(calls.filter((path) => path === '/wallet/getblock')).toHaveLength(4)
})

test('error: a node that does not tell its chain', async () => {
  const { guard, read, way } = setup()
  way.to = createScriptedChain({ start: 5 })
  guard.suspect()
  await expect(read()).rejects.toMatchObject({ code: -32603 })
})
