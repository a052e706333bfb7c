import { expect, test } from 'vitest'

import { prepareGateway } from '../support/gateway.ts'
import { asRelease } from '../support/node.ts'
import { rpcRecording } from '../support/recording.ts'

/** Methods whose answer comes from what the two releases answer differently, and how many recorded requests are compared. */
const METHODS: Record<string, number> = {
  eth_call: 200,
  eth_estimateGas: 200,
  eth_getBalance: 30,
  eth_getCode: 30,
  eth_getLogs: 40,
  eth_getStorageAt: 20,
  eth_getTransactionReceipt: 20,
}

/** A transfer that the node refuses, with the code of the gateway. */
const BUILDS = [
  { from: `0x${'11'.repeat(20)}`, to: `0x${'22'.repeat(20)}`, value: '0x1' },
  { from: `0x${'11'.repeat(20)}`, to: `0x${'11'.repeat(20)}`, value: '0x1' },
]

async function answerOf(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return response.json()
}

test('behavior: nodes of both releases give the same answers', async () => {
  const [older, newer] = await Promise.all([
    prepareGateway(),
    prepareGateway({ intercept: asRelease('4.8.2') }),
  ])
  const urls = await Promise.all([older, newer].map(({ gateway }) => gateway.start()))
  await Promise.all([older, newer].map(({ gateway }) => gateway.ready))
  const both = async (method: string, params: unknown[]) =>
    Promise.all(urls.map(({ url }) => answerOf(url, method, params)))
  for (const [method, most] of Object.entries(METHODS))
    for (const key of Object.keys(rpcRecording().requests[method] ?? {}).slice(0, most)) {
      const [before, now] = await both(method, JSON.parse(key) as unknown[])
      expect({ method, key, answer: now }).toEqual({ method, key, answer: before })
    }
  for (const build of BUILDS) {
    const [before, now] = await both('buildTransaction', [build])
    expect(now).toEqual(before)
    expect(before).toMatchObject({ error: { code: expect.any(Number) } })
  }
  const [before, now] = await both('web3_clientVersion', [])
  expect([before, now]).toMatchObject([
    { result: expect.stringMatching(/java-tron\/v4\.8\.0$/) },
    { result: expect.stringMatching(/java-tron\/v4\.8\.2$/) },
  ])
})
