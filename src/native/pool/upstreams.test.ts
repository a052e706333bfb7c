import { expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { startFaultProxy } from '../../../test/support/faultProxy.ts'
import { ACCOUNT, targetOf, upstreamAt } from '../../../test/support/upstreams.ts'
import { createNodeClient } from '../client.ts'
import { createUpstreams } from './upstreams.ts'

async function setup() {
  const chain = createScriptedChain()
  const nodes = [await startFaultProxy(targetOf(chain)), await startFaultProxy(targetOf(chain))]
  const [a, b] = nodes.map(({ url }, index) => upstreamAt(url, 'ab'[index]))
  if (!a || !b) throw new Error('two nodes are needed')
  const upstreams = createUpstreams({ timeout: 20_000, upstreams: [a] })
  const native = createNodeClient({ transport: upstreams })
  onTestFinished(async () => {
    await native.close()
    await Promise.all(nodes.map((node) => node.close()))
  })
  upstreams.expect(chain.genesis.slice(2))
  const read = (data: number) =>
    native.wallet.triggerConstantContract({
      contract_address: ACCOUNT,
      data: data.toString(16).padStart(8, '0'),
      owner_address: ACCOUNT,
    })
  return { a, b, names: () => upstreams.status().map(({ name }) => name), nodes, read, upstreams }
}

test('behavior: a second node comes while calls are made, and none fails', async () => {
  const { a, b, names, nodes, read, upstreams } = await setup()
  await read(0)
  // The probes take some time.
  const only = ({ path }: { path: string }) => path.endsWith('/getblock')
  for (const node of nodes) await node.fail({ kind: 'latency', ms: 300 }, { only })
  const life = { isOver: false }
  const updated = upstreams.update([a, b]).finally(() => (life.isOver = true))
  for (let call = 1; !life.isOver; call++)
    expect(await read(call)).toMatchObject({ result: { result: true } })
  await updated
  expect(await read(1_000_000)).toMatchObject({ result: { result: true } })
  expect(names()).toEqual(['a', 'b'])
})

test('behavior: changes that follow each other closely are made in their order', async () => {
  const { a, b, names, read, upstreams } = await setup()
  await Promise.all([[a, b], [b], [a, b], [a]].map((nodes) => upstreams.update(nodes)))
  expect(names()).toEqual(['a'])
  await read(0)
})

test('behavior: a node that did not change is kept, with what is known of it', async () => {
  const { a, b, read, upstreams } = await setup()
  const calls = () => upstreams.status()[0]?.calls
  await read(0)
  await upstreams.update([{ ...a, headers: { ...a.headers } }])
  await read(1)
  expect(calls()).toBe(2)
  await upstreams.update([{ ...a, timeout: a.timeout - 1 }])
  await read(2)
  expect(calls()).toBe(1)
  await upstreams.update([b])
  expect(upstreams.status()[0]?.name).toBe('b')
})
