import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { startFaultProxy } from '../../../test/support/faultProxy.ts'
import { upstreamAt } from '../../../test/support/upstreams.ts'
import { createServedChain } from '../identity/servedChain.ts'
import { createMember } from './member.ts'
import { TIMING } from './timing.ts'

test('behavior: a node that was slow and gets no calls since then burdens less and less', async () => {
  let time = 0
  const chain = createScriptedChain()
  const node = await startFaultProxy(async ({ body, path }) => {
    time += 1_000
    return chain.transport.send(path as '/wallet/x', body, { idempotent: true })
  })
  const member = createMember({
    chain: createServedChain(),
    now: () => time,
    onCall: undefined,
    onSuspect() {},
    random: () => 0.5,
    share: undefined,
    sockets: 4,
    timing: TIMING,
    upstream: upstreamAt(node.url),
  })
  onTestFinished(async () => {
    await member.close()
    await node.close()
  })
  const operation = 'getchainparameters'
  const call = { body: '{}', asking: undefined, kind: 'read', operation } as const
  await member.ask({ ...call, path: `/wallet/${operation}` }, 20_000, undefined)
  const slow = member.load(time)
  expect(slow).toBeGreaterThan(900)
  time += 60_000
  expect(member.load(time)).toBeLessThan(slow / 100)
})
