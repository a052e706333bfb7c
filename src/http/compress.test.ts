import { request } from 'node:http'
import {
  brotliCompressSync,
  brotliDecompressSync,
  deflateSync,
  gunzipSync,
  gzipSync,
} from 'node:zlib'

import { expect, test } from 'vitest'

import { call, startHttpServer as setup } from '../../test/support/httpServer.ts'

/** A POST whose answer is not decoded. */
function raw(url: string, body: string, headers: Record<string, string>) {
  return new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }))
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

const BIG = call('big', 3_000_000)

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('default: a large answer in %s', async (name, decode) => {
  const { url } = await setup({ compression: true })
  const { bytes, headers } = await raw(url, BIG, { 'accept-encoding': `identity, ${name};q=0.5` })
  expect(headers).toMatchObject({ 'content-encoding': name, vary: 'Accept-Encoding' })
  expect(bytes.length).toBeLessThan(100_000)
  const { result } = JSON.parse(decode(bytes).toString()) as { result: string }
  expect(result).toHaveLength(2_999_998)
})

test.each([
  ['a small answer', { compression: true }, call('big', 1_000), 'gzip'],
  ['a client that accepts none', { compression: true }, BIG, 'identity'],
  ['a client that refuses it', { compression: true }, BIG, 'gzip;q=0'],
  ['compression is off', {}, BIG, 'gzip'],
])('behavior: not compressed: %s', async (_, config, body, accepted) => {
  const { url } = await setup(config)
  const { headers } = await raw(url, body, { 'accept-encoding': accepted })
  expect(headers['content-encoding']).toBeUndefined()
  expect(headers['content-length']).toBeDefined()
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
] as const)('default: a request body in %s', async (name, encode) => {
  const { post } = await setup()
  const body = new Uint8Array(encode(call('echo', 'packed')))
  const response = await post(body, { headers: { 'content-encoding': name } })
  expect(await response.json()).toMatchObject({ result: 'packed' })
})

test('error: a request body that unpacks to more than the limit, or not at all', async () => {
  const { post } = await setup({ bodyLimit: 10_000 })
  const headers = { 'content-encoding': 'gzip' }
  const bomb = new Uint8Array(gzipSync(Buffer.alloc(5_000_000)))
  expect((await post(bomb, { headers })).status).toBe(413)
  const broken = await post(call('echo', 1), { headers })
  expect(await broken.json()).toMatchObject({ error: { code: -32700 } })
})
