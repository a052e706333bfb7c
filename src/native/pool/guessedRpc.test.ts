import { expect, test } from 'vitest'

import { startReplayNode } from '../../../test/support/node.ts'
import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { createNodeClient } from '../client.ts'
import { createHttpTransport } from '../transport/transport.ts'
import type { Upstream } from '../upstream.ts'
import { isRpcOf } from './guessedRpc.ts'

/** Whether the JSON-RPC of the recorded node is found, when it answers some methods otherwise. */
async function found(answers: Record<string, unknown> = {}): Promise<boolean> {
  const node = await startReplayNode({
    intercept({ body, path }) {
      if (path !== '/jsonrpc') return undefined
      const { method, params } = JSON.parse(body) as { method: string; params: [string] }
      const own = {
        eth_chainId: () => '0xb24e27cc',
        eth_getBlockByNumber: () => ({
          hash: `0x${recordedBlock(Number(params[0])).block.blockID}`,
        }),
        web3_clientVersion: () => 'Node/v4.8.0/Linux/Java17',
      }[method]
      const result = Object.hasOwn(answers, method) ? answers[method] : own?.()
      const outcome =
        result instanceof Error ? { error: { code: -32001, message: result.message } } : { result }
      return { text: JSON.stringify({ jsonrpc: '2.0', id: 1, ...outcome }) }
    },
  })
  const transport = createHttpTransport({ upstream: node.url })
  try {
    const upstream = { headers: {}, rpc: node.rpcUrl, timeout: 10_000 } as Partial<Upstream>
    return await isRpcOf(upstream as Upstream, createNodeClient({ transport }))
  } finally {
    await transport.close()
    await node.close()
  }
}

test('default', async () => {
  expect(await found()).toBe(true)
})

test('behavior: a node of 4.8.0 on Java 17 has no version', async () => {
  expect(await found({ web3_clientVersion: new Error('No match found') })).toBe(true)
})

test.each([
  ['a gateway', { web3_clientVersion: 'ethgate/1.0.0' }],
  ['another chain id', { eth_chainId: '0x1' }],
  ['another block', { eth_getBlockByNumber: { hash: `0x${'11'.repeat(32)}` } }],
  ['no block', { eth_getBlockByNumber: null }],
])('behavior: %s is not the JSON-RPC of the node', async (_, answers) => {
  expect(await found(answers)).toBe(false)
})

test('error: nothing answers', async () => {
  const transport = createHttpTransport({ upstream: 'http://127.0.0.1:1' })
  const upstream = { headers: {}, rpc: 'http://127.0.0.1:1/jsonrpc', timeout: 1_000 }
  expect(await isRpcOf(upstream as Upstream, createNodeClient({ transport }))).toBe(false)
  await transport.close()
})
