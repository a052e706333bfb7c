import { expect, test } from 'vitest'

import { createAskedNodes } from './askedNodes.ts'

test('default', () => {
  const clock = { now: 0 }
  const asked = createAskedNodes({ now: () => clock.now })
  const [caller, other] = [{}, {}]
  asked.note(caller, 'a')
  asked.note(other, 'b')
  asked.note(undefined, 'c')
  expect([asked.since(caller, 0), asked.since(other, 0), asked.since({}, 0)]).toEqual([
    ['a'],
    ['b'],
    [],
  ])
})

test('behavior: the nodes of earlier calls of a connection are not named', () => {
  const clock = { now: 0 }
  const asked = createAskedNodes({ now: () => clock.now })
  const caller = {}
  asked.note(caller, 'a')
  clock.now = 10
  asked.note(caller, 'b')
  asked.note(caller, 'c')
  expect(asked.since(caller, 5)).toEqual(['b', 'c'])
})
