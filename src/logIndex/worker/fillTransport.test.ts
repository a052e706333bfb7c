import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { startFaultProxy } from '../../../test/support/faultProxy.ts'
import { targetOf, upstreamAt } from '../../../test/support/upstreams.ts'
import { createFillTransport } from './fillTransport.ts'

test.each([1, 2])(
  'behavior: a call in flight to one of %i replaced nodes finishes',
  async (count) => {
    const chain = createScriptedChain()
    const nodes = await Promise.all(
      Array.from({ length: count + 1 }, () => startFaultProxy(targetOf(chain))),
    )
    const upstreams = nodes.map(({ url }, index) => upstreamAt(url, `node-${index}`))
    const transport = createFillTransport({
      genesis: chain.genesis.slice(2),
      log: { info() {}, warn() {} },
      sockets: 4,
      timeout: 20_000,
      upstreams: upstreams.slice(0, count),
    })
    onTestFinished(async () => {
      await transport.close()
      await Promise.all(nodes.map((node) => node.close()))
    })
    const read = () => transport.send('/wallet/getblock', '{"id_or_num":"0"}', { idempotent: true })
    const first = await read()
    const isSlow = { only: ({ path }: { path: string }) => path === '/wallet/getblock' }
    for (const node of nodes.slice(0, count)) await node.fail({ kind: 'latency', ms: 300 }, isSlow)
    const slow = read()
    const updated = transport.update(upstreams.slice(count))
    await expect(read()).resolves.toMatchObject({ text: first.text })
    await expect(slow).resolves.toMatchObject({ text: first.text })
    await updated
  },
)
