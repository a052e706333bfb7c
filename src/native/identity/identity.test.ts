import { describe, expect, test } from 'vitest'

import { until } from '../../../test/support/until.ts'
import { OtherChainError } from '../errors.ts'
import { confirmAnswer, createIdentity } from './identity.ts'
import { createServedChain } from './servedChain.ts'

/** A node whose answers come when the test says so. */
function setup(options: Partial<createIdentity.Options> = {}) {
  const answers: ((genesis: string) => void)[] = []
  const others: string[] = []
  const clock = { now: 0 }
  const identity = createIdentity({
    expected: () => 'ours',
    now: () => clock.now,
    onOther: (genesis) => others.push(genesis),
    read: () => new Promise((resolve) => answers.push(resolve)),
    spacing: 0,
    ...options,
  })
  const asked = (count: number) => until(() => expect(answers).toHaveLength(count))
  return { answers, asked, clock, identity, others }
}

/** Undefined, or what it fails with. */
const outcomeOf = async (confirmed: Promise<void> | undefined) =>
  confirmed?.catch((error: unknown) => error)

describe('createIdentity', () => {
  test('default: answers that come while a check is in flight share the next one', async () => {
    const { answers, asked, identity } = setup()
    const first = identity.confirm()
    await asked(1)
    const later = [identity.confirm(), identity.confirm(), identity.confirm()].map(outcomeOf)
    answers[0]?.('ours')
    await first
    await asked(2)
    answers[1]?.('ours')
    expect(await Promise.all(later)).toEqual([undefined, undefined, undefined])
    expect(answers).toHaveLength(2)
  })

  test('behavior: a check that began before the answer came does not count', async () => {
    const { answers, asked, identity, others } = setup()
    const first = identity.confirm()
    await asked(1)
    // The node is exchanged after it has answered the check, and before it answers the read.
    const read = outcomeOf(identity.confirm())
    answers[0]?.('ours')
    await first
    await asked(2)
    answers[1]?.('theirs')
    expect(await read).toBeInstanceOf(OtherChainError)
    expect(others).toEqual(['theirs'])
  })

  test('args: validFor, a check in flight counts, unless earlier checks are invalid', async () => {
    const { answers, asked, identity } = setup({ spacing: 100, validFor: 100 })
    const first = identity.confirm()
    await asked(1)
    const later = identity.confirm()
    answers[0]?.('ours')
    await Promise.all([first, later])
    expect(answers).toHaveLength(1)
    const read = identity.confirm(true)
    expect(identity.confirm()).toBeUndefined()
    expect(read).toBeInstanceOf(Promise)
  })

  test('args: validFor', async () => {
    const { answers, asked, clock, identity } = setup({ validFor: 100 })
    const first = identity.confirm()
    await asked(1)
    answers[0]?.('ours')
    await first
    clock.now = 99
    expect(identity.confirm()).toBeUndefined()
    const strict = outcomeOf(identity.confirm(true))
    await asked(2)
    answers[1]?.('theirs')
    expect(await strict).toBeInstanceOf(OtherChainError)
    // Nothing counts any more once the node was seen elsewhere.
    const next = identity.confirm()
    await asked(3)
    answers[2]?.('ours')
    await next
  })

  test('args: validFor, checks of others count', () => {
    const { clock, identity } = setup({ validFor: 100 })
    clock.now = 1_000
    identity.seen(950)
    expect(identity.confirm()).toBeUndefined()
    identity.seen(900)
    expect(identity.confirm()).toBeUndefined()
  })

  test('behavior: each invalidation makes the next answer wait for a check', async () => {
    const { answers, asked, clock, identity } = setup({ validFor: 100 })
    identity.seen(0)
    for (let count = 0; count < 5; count++) {
      identity.invalidate()
      const confirmed = identity.confirm()
      await asked(count + 1)
      answers[count]?.('ours')
      await confirmed
      expect(identity.confirm()).toBeUndefined()
      clock.now += 1
    }
  })

  test('behavior: of very many invalidations in a row only a part makes answers wait, and only for as long as a check is valid', async () => {
    const { answers, asked, clock, identity } = setup({ validFor: 100 })
    const isChecked = async () => {
      identity.invalidate()
      const confirmed = identity.confirm()
      if (confirmed) await asked(1)
      answers.pop()?.('ours')
      await confirmed
      return confirmed !== undefined
    }
    let checked = 0
    for (let count = 0; count < 100; count++) if (await isChecked()) checked++
    expect(checked).toBeGreaterThan(1)
    expect(checked).toBeLessThan(50)
    clock.now += 100
    expect(await isChecked()).toBe(true)
  })

  test('behavior: an answer that identifies its chain needs no check, one that contradicts it needs a new one', async () => {
    const chain = createServedChain('ours')
    const { answers, asked, identity } = setup({ validFor: 100 })
    identity.seen(0)
    const confirm = (parsed: unknown) => confirmAnswer({ chain, identity }, '{}', { parsed })
    const block = (blockID: string) => ({ blockID, block_header: { raw_data: { number: 7 } } })
    chain.show({ hashAt: () => 'a'.repeat(64), head: 7, solid: 7 })
    expect(confirm(block('a'.repeat(64)))).toBeUndefined()
    expect(confirm({})).toBeUndefined()
    const other = outcomeOf(confirm(block('b'.repeat(64))))
    await asked(1)
    answers[0]?.('theirs')
    expect(await other).toBeInstanceOf(OtherChainError)
  })

  test('args: expected, anything is right until it is known', async () => {
    const { answers, asked, identity } = setup({ expected: () => undefined })
    const first = identity.confirm()
    await asked(1)
    answers[0]?.('any')
    await expect(first).resolves.toBeUndefined()
  })

  test('error: the node does not tell; the next one asks anew', async () => {
    let calls = 0
    const { identity } = setup({
      async read() {
        if (calls++ === 0) throw new Error('silent')
        return 'ours'
      },
    })
    await expect(identity.confirm()).rejects.toThrow('silent')
    await expect(identity.confirm()).resolves.toBeUndefined()
  })
})
