import { describe, expect, onTestFinished, test } from 'vitest'

import { createScriptedChain } from '../../../test/support/chain.ts'
import { startFaultProxy } from '../../../test/support/faultProxy.ts'
import { until } from '../../../test/support/until.ts'
import { targetOf, upstreamAt } from '../../../test/support/upstreams.ts'
import {
  NodeSilentError,
  NodeTimeoutError,
  NodeUnreachableError,
  OtherChainError,
} from '../errors.ts'
import { createSingleUpstream } from './single.ts'

const READ = { idempotent: true }

/** Times that are enough for a node that answers, also where it shares a busy core with the gateway. */
const PATIENT = { probe: 5_000, timeout: 20_000 }

/** `probe` and `timeout`: milliseconds for the answer to a probe and to a call. */
async function start({ probe, timeout } = PATIENT) {
  const chain = createScriptedChain()
  const node = await startFaultProxy(targetOf(chain))
  const log: string[] = []
  const note = (_: object, message: string) => void log.push(message)
  const upstream = createSingleUpstream({
    log: { info: note, warn: note },
    probeTiming: { probe, quiet: 50 },
    timeout,
    upstream: upstreamAt(node.url),
  })
  onTestFinished(async () => {
    await upstream.close()
    await node.close()
  })
  return { chain, log, node, upstream }
}

const ask = ({ upstream }: Awaited<ReturnType<typeof start>>) =>
  upstream.send('/wallet/getblock', '{}', READ)

describe('createSingleUpstream', () => {
  test('default', async () => {
    const single = await start()
    expect((await ask(single)).status).toBe(200)
    expect(single.upstream.status()).toMatchObject([{ calls: 1, failed: 0, state: 'healthy' }])
    // The second call asks which chain it is.
    const taken = single.node.taken().filter((path) => path !== '/wallet/getnodeinfo')
    expect(taken).toEqual(['/wallet/getblock', '/wallet/getblock'])
    expect((await ask(single)).status).toBe(200)
  })

  test('behavior: the release and the operations that the node does not offer are known', async () => {
    const single = await start()
    const status = () => single.upstream.status()[0]
    expect(status()).toMatchObject({ changes: null, lacks: [], version: null })
    await single.node.fail(
      { kind: 'status', status: 200, text: '{"configNodeInfo":{"codeVersion":"4.8.2"}}' },
      { only: ({ path }) => path.endsWith('/getnodeinfo') },
    )
    await ask(single)
    await until(() => expect(status()).toMatchObject({ version: '4.8.2' }))
    expect(status()?.changes).toContain('blockTimestamp')
    expect(single.log).toEqual(['upstream a is java-tron 4.8.2'])
    await single.node.fail(
      { kind: 'status', status: 405, text: '<html>' },
      { only: ({ path }) => path.endsWith('/getpaginatednowwitnesslist') },
    )
    await single.upstream.send('/wallet/getpaginatednowwitnesslist', '{}', READ)
    expect(status()).toMatchObject({ lacks: ['getpaginatednowwitnesslist'] })
  })

  test('behavior: answers of another chain are refused, until it is the right one again', async () => {
    const single = await start()
    const other = createScriptedChain({ seed: 'other' })
    await ask(single)
    await single.node.fail({ kind: 'target', target: targetOf(other) })
    await until(() => expect(ask(single)).rejects.toThrow(OtherChainError))
    await expect(ask(single)).rejects.toThrow(OtherChainError)
    await single.node.heal()
    expect((await ask(single)).status).toBe(200)
  })

  test('behavior: what contradicts the known chain is refused at once', async () => {
    const single = await start()
    const hash = single.chain.head().hash.slice(2)
    single.upstream.setFloor({ hashAt: () => hash, head: 0, solid: 0 })
    await single.upstream.send('/wallet/getaccount', '{}', READ)
    const other = createScriptedChain({ seed: 'other' })
    await single.node.fail({ kind: 'target', target: targetOf(other) })
    const call = single.upstream.send('/wallet/triggerconstantcontract', '{}', READ)
    await expect(call).rejects.toThrow(OtherChainError)
  })

  test('behavior: a node that answers nothing is found out, and used again when it answers', async () => {
    const single = await start({ probe: 2_000, timeout: 4_000 })
    await single.node.fail({ kind: 'hang' })
    const first = ask(single).catch((error: unknown) => error)
    await until(() => {
      void ask(single).catch(() => {})
      expect(single.upstream.status()).toMatchObject([{ state: 'failing' }])
    })
    await expect(ask(single)).rejects.toThrow(NodeSilentError)
    await single.node.heal()
    await until(() => ask(single))
    expect(single.log).toEqual(['upstream a does not answer calls', 'upstream a answers again'])
    await first
  })

  test('behavior: calls in sequence find out too that a node answers nothing', async () => {
    const single = await start({ probe: 300, timeout: 1_000 })
    await single.node.fail({ kind: 'hang' })
    await expect(ask(single)).rejects.toThrow(NodeTimeoutError)
    for (let call = 0; call < 3; call++) await expect(ask(single)).rejects.toThrow(NodeSilentError)
    await single.node.heal()
    await until(() => ask(single))
    expect(single.log).toEqual(['upstream a does not answer calls', 'upstream a answers again'])
  })

  test('behavior: a call that is slow alone is followed by calls as before', async () => {
    const single = await start({ probe: 5_000, timeout: 1_000 })
    const only = ({ path }: { path: string }) => path.endsWith('getaccount')
    await single.node.fail({ kind: 'hang' }, { only })
    await expect(single.upstream.send('/wallet/getaccount', '{}', READ)).rejects.toThrow(
      NodeTimeoutError,
    )
    expect((await ask(single)).status).toBe(200)
    expect(single.log).toEqual([])
  })

  test('behavior: a node that is unreachable, or only answers errors, is not healthy', async () => {
    const single = await start()
    const state = () => single.upstream.status()[0]
    expect(state()).toMatchObject({ state: 'starting', share: 0 })
    await single.node.fail({ kind: 'refused' })
    await expect(ask(single)).rejects.toThrow(NodeUnreachableError)
    expect(state()).toMatchObject({ reason: 'it is unreachable', share: 0, state: 'failing' })
    await single.node.fail({ kind: 'status', status: 502, text: '<html>' })
    await ask(single).catch(() => {})
    expect(state()).toMatchObject({ reason: 'it answers HTTP 502', share: 0, state: 'failing' })
    await single.node.heal()
    await ask(single)
    expect(state()).toMatchObject({ reason: undefined, share: 1, state: 'healthy' })
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
      await expect(ask(single)).rejects.toThrow('the upstream node is unreachable')
    await single.node.heal()
    expect((await ask(single)).status).toBe(200)
  })
})
