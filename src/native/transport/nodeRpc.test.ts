import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { recordedRpc, type ReplayNode, startReplayNode } from '../../../test/support/node.ts'
import { labels } from '../../../test/support/recordedChain.ts'
import { serve } from '../../../test/support/serve.ts'
import { NodeAnswerError, NodeTimeoutError, NodeUnreachableError } from '../errors.ts'
import { createNodeRpc, type NodeRpc } from './nodeRpc.ts'

let node: ReplayNode
let rpc: NodeRpc
const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}`

beforeAll(async () => {
  node = await startReplayNode()
  rpc = createNodeRpc({ url: node.rpcUrl })
})

afterAll(async () => {
  await rpc.close()
  await node.close()
})

/** A server that answers each call as told: a text, a status, `cut`, `large` or `silent`. */
async function serveAnswers(...answers: (string | number | ((body: string) => string))[]) {
  let asked = 0
  const server = await serve((request, response) => {
    const answer = answers[asked++] ?? answers.at(-1)
    if (typeof answer === 'function') void text(request).then((body) => response.end(answer(body)))
    else if (answer === 'cut') request.socket.destroy()
    else if (answer === 'large') Readable.from(large()).pipe(response)
    else if (typeof answer === 'number') response.writeHead(answer).end()
    else if (answer !== 'silent') response.end(answer)
  })
  const url = `${server.url}/jsonrpc`
  // Only a call that is never answered waits for it.
  const client = createNodeRpc({ url, timeout: answers.includes('silent') ? 100 : 30_000 })
  return {
    client,
    asked: () => asked,
    async [Symbol.asyncDispose]() {
      await client.close()
      await server.close()
    },
  }
}

/** 65 MiB, in parts: the server has them in the memory of the tests. */
function* large() {
  yield '{"result":"'
  for (let part = 0; part < 65; part++) yield 'a'.repeat(1024 * 1024)
  yield '"}'
}

describe('getStorageAt', () => {
  test('default', async () => {
    expect(await rpc.getStorageAt(kitchen, '0x0')).toBe(
      recordedRpc('eth_getStorageAt', [kitchen, '0x0', 'latest']).result,
    )
    expect(await rpc.getStorageAt(kitchen, '0x0')).toBe(`0x${'2'.padStart(64, '0')}`)
  })

  test('error: an address without the path of JSON-RPC', async () => {
    for (const status of [404, 405]) {
      await using server = await serveAnswers(status)
      await expect(server.client.getStorageAt(kitchen, '0x0')).rejects.toThrow(
        `HTTP ${status}: --upstream-rpc must end with the path of the node’s JSON-RPC, usually /jsonrpc`,
      )
    }
  })

  test('error: an answer that is not a storage value', async () => {
    await using server = await serveAnswers('{"jsonrpc":"2.0","id":1,"result":"0x"}')
    await expect(server.client.getStorageAt(kitchen, '0x0')).rejects.toThrow(NodeAnswerError)
  })
})

describe('call', () => {
  test('default', async () => {
    expect(await rpc.call('eth_chainId', [])).toBe('0xb24e27cc')
  })

  test('behavior: each call is a request of its own, never a batch', async () => {
    // Release 4.8.2 refuses a whole batch when one answer in it has many logs.
    const bodies: unknown[] = []
    await using server = await serveAnswers((body) => {
      bodies.push(JSON.parse(body))
      return '{"jsonrpc":"2.0","id":1,"result":[]}'
    })
    const filter = { fromBlock: '0x0', toBlock: '0x1' }
    await Promise.all([1, 2, 3].map(() => server.client.call('eth_getLogs', [filter])))
    expect(bodies).toEqual(
      [1, 2, 3].map(() => ({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] })),
    )
  })

  test('behavior: a call on a broken connection is retried once', async () => {
    await using server = await serveAnswers('cut', '{"result":5}')
    expect(await server.client.call('eth_x', [])).toBe(5)
    expect(server.asked()).toBe(2)
  })

  test('behavior: abort', async () => {
    await using server = await serveAnswers('silent')
    const controller = new AbortController()
    const call = server.client.call('eth_x', [], controller)
    controller.abort(new Error('gone'))
    await expect(call).rejects.toThrow('gone')
  })

  test('error: an answer that is nested too deeply, and one that is too large', async () => {
    const nested = `{"result":${'['.repeat(400_000)}${']'.repeat(400_000)}}`
    await using server = await serveAnswers(nested, 'large')
    for (let call = 0; call < 2; call++)
      await expect(server.client.call('eth_x', [])).rejects.toThrow(NodeAnswerError)
  })

  test('error: each fault by its kind', async () => {
    await using server = await serveAnswers(
      '{"error":{"code":-1,"message":"x"}}',
      '<html>',
      502,
      '{}',
    )
    for (let call = 0; call < 4; call++)
      await expect(server.client.call('eth_x', [])).rejects.toThrow(NodeAnswerError)
    await using cut = await serveAnswers('cut', 'cut')
    await expect(cut.client.call('eth_x', [])).rejects.toThrow(NodeUnreachableError)
    await using silent = await serveAnswers('silent')
    await expect(silent.client.call('eth_x', [])).rejects.toThrow(NodeTimeoutError)
  })
})
