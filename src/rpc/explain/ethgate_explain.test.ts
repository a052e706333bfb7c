import { afterAll, beforeAll, expect, test } from 'vitest'

import { post } from '../../../test/support/client.ts'
import { startGateway, type TestGateway } from '../../../test/support/gateway.ts'
import { labels } from '../../../test/support/recordedChain.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startGateway()
})

afterAll(() => gateway.close())

const explain = (method: string, params: unknown[] = []) =>
  post(gateway.url, 'ethgate_explain', [{ method, params }])

test('default: names the block, the native calls with their times, and the result', async () => {
  const params = [`0x${labels.contracts.Token.address.slice(2)}`, 'latest']
  const { result } = await explain('eth_getBalance', params)
  const direct = await post(gateway.url, 'eth_getBalance', params)
  expect(result).toMatchObject({
    method: 'eth_getBalance',
    block: { number: 223 },
    source: 'upstream',
    // A check of the chain follows the first answers.
    calls: expect.arrayContaining([
      expect.objectContaining({
        operation: 'wallet/getaccount',
        outcome: '200',
        upstream: new URL(gateway.node.url).host,
      }),
    ]),
    result: direct.result,
  })
})

test('behavior: an answer from memory lists no native call', async () => {
  const { result } = await explain('eth_blockNumber')
  expect(result).toMatchObject({ calls: [], result: '0xdf', source: 'memory' })
})

test('behavior: the answer contains the error of the call', async () => {
  const { result } = await explain('eth_getBalance', ['nonsense'])
  expect(result).toMatchObject({ error: { code: -32602 }, calls: [] })
})

test('behavior: concurrent explanations list only their own calls', async () => {
  const [first, second] = await Promise.all([
    explain('eth_getBlockByNumber', ['0x10', false]),
    explain('eth_blockNumber'),
  ])
  expect((first.result as { calls: unknown[] }).calls).not.toHaveLength(0)
  expect((second.result as { calls: unknown[] }).calls).toHaveLength(0)
})

test.each([['eth_subscribe'], ['ethgate_explain'], [5]])(
  'error: %s cannot be explained',
  async (method) => {
    const { error } = await explain(method as string)
    expect(error?.code).toBe(-32602)
  },
)

test.each([
  ['a header', '', { 'x-ethgate-explain': '1' }],
  ['a query', '/?explain=1', {}],
])('behavior: headers explain an answer when %s asks for it', async (_, path, headers) => {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: headers as Record<string, string>,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'net_peerCount', params: [] }),
  })
  expect(response.headers.get('x-ethgate-block')).toMatch(/^223 0x[0-9a-f]{64}$/)
  expect(response.headers.get('x-ethgate-source')).toBe('upstream')
  expect(response.headers.get('x-ethgate-calls')).toMatch(
    /^wallet\/getnodeinfo;status=200;dur=[\d.]+;upstream="127\.0\.0\.1:\d+"$/,
  )
})

test('behavior: other answers have only a server timing', async () => {
  const response = await fetch(gateway.url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] }),
  })
  expect(response.headers.get('server-timing')).toMatch(/^total;dur=[\d.]+$/)
  expect(response.headers.get('x-ethgate-block')).toBeNull()
})
