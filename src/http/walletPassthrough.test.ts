import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, test } from 'vitest'

import { createWalletPassthrough } from './walletPassthrough.ts'

const KEY = 'key-0123456789abcdef'

/** The API in front of a node whose address and key must not be shown. */
const passthrough = (send: createWalletPassthrough.Options['transport']['send']) =>
  createWalletPassthrough({
    bodyLimit: 1_000,
    hidden: () => ['node.example:8090', KEY],
    cacheBytes: 1_000,
    solid: () => 1_000,
    transport: { send, async close() {} },
  })

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('behavior: the cache keeps no more than its bytes', async () => {
  const cacheBytes = 6 * 1024 * 1024
  const app = createWalletPassthrough({
    bodyLimit: 1_000,
    hidden: () => [],
    cacheBytes,
    solid: () => 1_000,
    transport: {
      // The pool passes on what it has parsed, which takes many times the memory of its text.
      async send(_, body) {
        const { num: number } = JSON.parse(body ?? '') as { num: number }
        const transactions = Array.from({ length: 20_000 }, () => ({ raw_data: {} }))
        const block = { block_header: { raw_data: { number } }, transactions }
        return { status: 200, text: JSON.stringify(block), parsed: block }
      },
      async close() {},
    },
  })
  const read = async (num: number) => {
    const body = JSON.stringify({ num })
    const response = await app.request('/wallet/getblockbynum', { method: 'POST', body })
    return ((await response.json()) as { block_header: object }).block_header
  }
  await read(1)
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let number = 1; number <= 40; number++) await read(number)
  expect(await read(40)).toEqual({ raw_data: { number: 40 } })
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(2 * cacheBytes)
})

test.each(['null', '1', '"text"'])('error: the node answers %s', async (text) => {
  const app = passthrough(async () => ({ status: 200, text }))
  const response = await app.request('/wallet/getnowblock', { method: 'POST', body: '{}' })
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({
    Error: 'the upstream node’s answer to getnowblock has an unknown format',
  })
})

test.each([
  ['HEAD', 'getnowblock', 200],
  ['PUT', 'getnowblock', 405],
  ['GET', 'createtransaction', 405],
  ['GET', 'broadcasthex', 405],
  ['GET', 'triggerconstantcontract', 405],
  ['GET', 'getsignweight', 405],
  ['HEAD', 'getblockbalance', 405],
])('behavior: %s %s is answered with %i', async (method, name, status) => {
  const app = passthrough(async (path) => ({
    status: 200,
    // A node answers GET createtransaction with an empty body.
    text: path.includes('get') ? '{}' : '',
  }))
  const response = await app.request(`/wallet/${name}`, { method })
  expect(response.status).toBe(status)
  expect(response.headers.get('allow')?.includes(method)).not.toBe(true)
})

/** The status and the answer for a body of a node. */
async function passedOn(reply: object): Promise<[number, unknown]> {
  const app = passthrough(async () => ({ status: 200, text: JSON.stringify(reply) }))
  const response = await app.request('/wallet/createtransaction', { method: 'POST', body: '{}' })
  return [response.status, await response.json()]
}

const hex = (text: string) => Buffer.from(text).toString('hex')

test.each([
  { Error: 'class org.tron.core.exception.ContractValidateException : Contract not exists' },
  {
    Error:
      'class org.tron.core.exception.ContractValidateException : Not support CancelAllUnfreezeV2 transaction, need to be opened by the committee',
  },
  { Error: 'class java.lang.NullPointerException : null' },
  { Error: 'class java.lang.NullPointerException' },
  { message: 'Cannot invoke "String.length()" because "input" is null', result: false },
  { Error: 'class com.alibaba.fastjson.JSONException : syntax error, expect {, actual /, pos 0' },
  {
    result: {
      code: 'OTHER_ERROR',
      message: hex("class java.security.InvalidParameterException : contract_address isn't set."),
    },
  },
  {
    code: 'SIGERROR',
    txid: '00',
    message: hex(
      `Validate signature error: ${'ab'.repeat(65)} is signed by TYBNgWfhGuNzdLtjKtxXTfskAhTbMcqbaG but it is not contained of permission.`,
    ),
  },
])('behavior: the text of the node is passed on as it is: %j', async (reply) => {
  expect(await passedOn(reply)).toEqual([200, reply])
})

test.each([
  [
    { Error: `class org.tron.core.exception.BadItemException : node.example:8090 and ${KEY}` },
    { Error: 'class org.tron.core.exception.BadItemException : … and …' },
  ],
  [
    { code: 'OTHER_ERROR', message: `no access with ${KEY}` },
    { code: 'OTHER_ERROR', message: 'no access with …' },
  ],
  [
    { code: 'OTHER_ERROR', message: hex('no route to inner.example.org') },
    { code: 'OTHER_ERROR', message: hex('no route to …') },
  ],
  [
    { code: 'OTHER_ERROR', message: 'dial 10.1.2.3:80' },
    { code: 'OTHER_ERROR', message: 'dial …:80' },
  ],
  [{ Error: 'bad key abcdef0123456789' }, { Error: 'the upstream node refused the request' }],
])('behavior: addresses and keys stay inside: %j', async (reply, shown) => {
  expect(await passedOn(reply)).toEqual([200, shown])
})

test('args: createCommonTransaction builds', async () => {
  const app = passthrough(async (path, _, { kind }) => ({
    status: 200,
    text: JSON.stringify({ path, kind }),
  }))
  const path = '/wallet/createCommonTransaction'
  const response = await app.request(path, { method: 'POST', body: '{}' })
  expect(await response.json()).toEqual({ path, kind: 'build' })
})
