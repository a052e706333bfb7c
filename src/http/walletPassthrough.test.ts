import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

import { expect, test } from 'vitest'

import { createWalletPassthrough } from './walletPassthrough.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test('behavior: the cache keeps no more than its bytes', async () => {
  const cacheBytes = 6 * 1024 * 1024
  const app = createWalletPassthrough({
    bodyLimit: 1_000,
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
  const app = createWalletPassthrough({
    bodyLimit: 1_000,
    cacheBytes: 1_000,
    solid: () => 1_000,
    transport: { send: async () => ({ status: 200, text }), async close() {} },
  })
  const response = await app.request('/wallet/getnowblock', { method: 'POST', body: '{}' })
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({
    Error: 'the upstream node’s answer to getnowblock has an unknown format',
  })
})
