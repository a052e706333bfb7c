import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { createScriptedChain } from '../../../test/chain.ts'
import { startFaultProxy } from '../../../test/faultProxy.ts'
import { targetOf, upstreamAt } from '../../../test/upstreams.ts'
import { NodeSilentError } from '../errors.ts'
import { createSingleUpstream } from './single.ts'

const READ = { idempotent: true }

async function start() {
  const node = await startFaultProxy(targetOf(createScriptedChain()))
  const log: string[] = []
  const note = (_: object, message: string) => void log.push(message)
  const upstream = createSingleUpstream({
    log: { info: note, warn: note },
    patience: { probe: 50, quiet: 50 },
    timeout: 1_000,
    upstream: upstreamAt(node.url),
  })
  onTestFinished(async () => {
    await upstream.close()
    await node.close()
  })
  return { log, node, upstream }
}

const ask = ({ upstream }: Awaited<ReturnType<typeof start>>) =>
  upstream.send('/wallet/getblock', '{}', READ)

describe('createSingleUpstream', () => {
  test('default', async () => {
    const single = await start()
    expect((await ask(single)).status).toBe(200)
    expect(single.upstream.status()).toMatchObject([{ calls: 1, failed: 0, state: 'healthy' }])
    expect(single.node.taken()).toEqual(['/wallet/getblock'])
  })

  test('behavior: a node that answers nothing is found out, and used again when it answers', async () => {
    const single = await start()
    await single.node.fail({ kind: 'hang' })
    const first = ask(single).catch((error: unknown) => error)
    await vi.waitFor(
      () => {
        void ask(single).catch(() => {})
        expect(single.upstream.status()).toMatchObject([{ state: 'failing' }])
      },
      { interval: 30, timeout: 8_000 },
    )
    await expect(ask(single)).rejects.toThrow(NodeSilentError)
    await single.node.heal()
    await vi.waitFor(() => ask(single), { interval: 20, timeout: 8_000 })
    expect(single.log).toEqual([
      'upstream a takes calls and does not answer them',
      'upstream a answers again',
    ])
    await first
  })

  test('behavior: a slow call does not make a node a silent one', async () => {
    const single = await start()
    const only = ({ path }: { path: string }) => path.endsWith('getaccount')
    await single.node.fail({ kind: 'latency', ms: 300 }, { only })
    const slow = single.upstream.send('/wallet/getaccount', '{}', READ)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect((await ask(single)).status).toBe(200)
    expect((await slow).status).toBe(200)
    expect(single.log).toEqual([])
  })

  test('error: refused connections do not wait, so nothing is held back', async () => {
    const single = await start()
    await single.node.fail({ kind: 'refused' })
    for (let call = 0; call < 10; call++)
      await expect(ask(single)).rejects.toThrow('the upstream node cannot be reached')
    await single.node.heal()
    expect((await ask(single)).status).toBe(200)
  })
})
