import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { createNodeClient } from '../../src/native/client.ts'
import { createHttpTransport } from '../../src/native/transport/transport.ts'
import { type Fault, type FaultProxy, startFaultProxy } from './faultProxy.ts'
import { type ReplayNode, startReplayNode } from './node.ts'

let node: ReplayNode
let proxy: FaultProxy

beforeAll(async () => {
  node = await startReplayNode()
  proxy = await startFaultProxy({ wallet: node.url })
})

afterAll(async () => {
  await proxy.close()
  await node.close()
})

/** Asks through the proxy without repetitions; gives status and text, or the name of the error. */
async function ask(path: `/wallet/${string}`, body: object = {}, timeout = 10_000) {
  const transport = createHttpTransport({ upstream: proxy.url, timeout })
  try {
    const { status, text } = await transport.send(path, JSON.stringify(body), { idempotent: false })
    return `${status} ${text}`
  } catch (error) {
    return (error as Error).name
  } finally {
    await transport.close()
  }
}

describe('startFaultProxy', () => {
  test('default', async () => {
    const native = createNodeClient({ transport: createHttpTransport({ upstream: proxy.url }) })
    expect((await native.wallet.getBlock({}))?.block_header.raw_data.number).toBe(223)
    expect((await native.solidity.getBlock({}))?.block_header.raw_data.number).toBe(223)
    await native.close()
  })

  test.each<[Fault, RegExp]>([
    [{ kind: 'refused' }, /^NodeUnreachableError$/],
    [{ kind: 'reset' }, /^NodeUnreachableError$/],
    [{ kind: 'cut' }, /^NodeUnreachableError$/],
    [{ kind: 'status', status: 500 }, /^500 HTTP 500$/],
    [{ kind: 'empty' }, /^200 $/],
    [{ kind: 'unknown' }, /^200 \{\}\n$/],
    [{ kind: 'html' }, /^200 <html>/],
    [{ kind: 'rateLimit' }, /^200 .*lack of computing resources/],
    [{ kind: 'truncated' }, /^200 \{.*[^}]$/],
  ])('args: %o', async (fault, expected) => {
    await proxy.fail(fault)
    expect(await ask('/wallet/getblock')).toMatch(expected)
    await proxy.heal()
    expect(await ask('/wallet/getblock')).toMatch(/^200 \{.*\}\s*$/)
  })

  test('args: hang', async () => {
    await proxy.fail({ kind: 'hang' })
    expect(await ask('/wallet/getblock', {}, 50)).toBe('NodeTimeoutError')
    await proxy.heal()
  })

  test('args: behind', async () => {
    await proxy.fail({ kind: 'behind', blocks: 20 })
    const native = createNodeClient({ transport: createHttpTransport({ upstream: proxy.url }) })
    expect((await native.wallet.getBlockByNum({ num: 203 }))?.block_header.raw_data.number).toBe(
      203,
    )
    expect(await native.wallet.getBlockByNum({ num: 204 })).toBeUndefined()
    await native.close()
    await proxy.heal()
  })

  test('args: times', async () => {
    await proxy.fail({ kind: 'reset' }, { times: 1 })
    expect(await ask('/wallet/getblock')).toBe('NodeUnreachableError')
    expect(await ask('/wallet/getblock')).toMatch(/^200 /)
    await proxy.heal()
  })

  test('args: only', async () => {
    await proxy.fail({ kind: 'reset' }, { only: ({ path }) => path.endsWith('/getcontract') })
    expect(await ask('/wallet/getblock')).toMatch(/^200 /)
    proxy.taken()
    expect(await ask('/wallet/getcontract')).toBe('NodeUnreachableError')
    expect(proxy.taken()).toEqual(['/wallet/getcontract'])
    await proxy.heal()
  })
})
