import { stat } from 'node:fs/promises'

import { expect, test } from 'vitest'

import { createHeadReader } from './headReader.ts'
import type { Member, MemberCall } from './member.ts'

/** A node with a newest block, whose answer arrives when `arrival` resolves. */
function memberAt(number: number, arrival: () => Promise<unknown>): Member {
  const parsed = { blockID: `b${number}`, block_header: { raw_data: { number, timestamp: 1 } } }
  const reply = { status: 200, text: '', parsed }
  const ask = () => arrival().then(() => ({ kind: 'answer', reply }))
  return { ask, known: {} } as unknown as Member
}

test('behavior: the answer of another node that a busy process reads late came in time', async () => {
  async function arriveLate() {
    await stat('.')
    const late = stat('.')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    await late
  }
  const members = [memberAt(5, async () => {}), memberAt(6, arriveLate)]
  const heads = createHeadReader({
    isSameChain: () => true,
    isUsable: () => true,
    members: () => members,
    onRisen() {},
    quorum: 1,
    served: () => undefined,
    shownHead: () => 0,
  })
  const reply = await heads.read({} as MemberCall, false, undefined)
  expect(reply.parsed).toMatchObject({ blockID: 'b6' })
})
