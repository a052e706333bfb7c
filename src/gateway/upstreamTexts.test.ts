import { expect, test } from 'vitest'

import { startGateway } from '../../test/support/gateway.ts'

const KEY = 'f00dfeed12345678'
const TEXT = `bad key in /${KEY}/wallet/getaccount`
const HEX = Buffer.from(TEXT).toString('hex')
const ADDRESS = `0x${'11'.repeat(20)}`
const CALL = { from: ADDRESS, to: `0x${'22'.repeat(20)}`, data: '0x01' }

/** Operations whose answer a front end replaces. Without the rest the gateway would not start. */
const REPLACED =
  /account|contract$|estimateenergy|createtransaction|broadcast|getnodeinfo|getstorage|chainparam|jsonrpc|gettransaction(?:by|info)/

const REQUESTS = [
  { method: 'eth_getBalance', params: [ADDRESS, 'latest'] },
  { method: 'eth_getCode', params: [ADDRESS, 'latest'] },
  { method: 'eth_call', params: [CALL, 'latest'] },
  { method: 'eth_estimateGas', params: [CALL] },
  { method: 'eth_getStorageAt', params: [ADDRESS, '0x0', 'latest'] },
  { method: 'eth_getTransactionByHash', params: [`0x${'33'.repeat(32)}`] },
  { method: 'eth_getTransactionReceipt', params: [`0x${'33'.repeat(32)}`] },
  { method: 'web3_clientVersion', params: [] },
  { method: 'net_peerCount', params: [] },
  { method: 'buildTransaction', params: [{ from: ADDRESS, to: CALL.to, value: '0x1' }] },
  {
    method: 'buildTransaction',
    params: [{ from: ADDRESS, to: CALL.to, data: '0x01', value: '0x0' }],
  },
]

test.each<[string, number, string]>([
  ['an error of a front end', 200, JSON.stringify({ Error: TEXT })],
  ['an error with a class', 200, JSON.stringify({ Error: `class org.tron.X : ${TEXT}` })],
  ['HTML', 403, `<html>${TEXT}</html>`],
  ['plain text', 200, TEXT],
  [
    'a result with a message',
    200,
    JSON.stringify({ result: { code: 'OTHER_ERROR', message: HEX }, code: TEXT, message: HEX }),
  ],
  [
    'a failed validation',
    200,
    JSON.stringify({ result: { code: 'CONTRACT_VALIDATE_ERROR', message: HEX } }),
  ],
  ['a JSON-RPC error', 200, JSON.stringify({ id: 1, error: { code: -32000, message: TEXT } })],
  ['a version', 200, JSON.stringify({ configNodeInfo: { codeVersion: TEXT } })],
])('behavior: no client gets the text of %s', async (_, status, text) => {
  let isReplaced = false
  const { gateway, url } = await startGateway({
    intercept: ({ path }) => (isReplaced && REPLACED.test(path) ? { status, text } : undefined),
  })
  await gateway.ready
  isReplaced = true
  for (const request of REQUESTS) {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
    })
    expect([request.method, await response.text()]).not.toEqual([
      request.method,
      expect.stringContaining(KEY),
    ])
  }
  expect(await (await fetch(`${url}/health`)).text()).not.toContain(KEY)
})
