import metaSchema from '@open-rpc/meta-schema'
import { Ajv, type ValidateFunction } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { OpenRpcDocument } from '../../src/rpc/openrpc/document.ts'
import examples from '../../src/rpc/openrpc/examples.json' with { type: 'json' }
import { post } from '../support/client.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { exampleCalls } from '../support/openrpcCalls.ts'
import { blockCalls, heights } from '../support/recordedBlock.ts'

/** The document says what the gateway does: every result of the recorded chain fits the schema of its method, exactly. */

const ajv = new Ajv({ allErrors: true, strict: false })

let gateway: TestGateway
let document: OpenRpcDocument
let validators: Map<string, ValidateFunction>

beforeAll(async () => {
  gateway = await startGateway()
  const { result } = await post(gateway.url, 'rpc.discover')
  document = result as OpenRpcDocument
  validators = new Map(
    document.methods.map(({ name, result: { schema } }) => [name, ajv.compile(schema)]),
  )
})

afterAll(() => gateway.close())

async function faults(method: string, params: readonly unknown[]): Promise<unknown[]> {
  return faultsIn(method, await post(gateway.url, method, [...params]))
}

function faultsIn(method: string, { error, result }: Awaited<ReturnType<typeof post>>): unknown[] {
  if (error) return [error]
  const validate = validators.get(method)
  validate?.(result)
  return validate?.errors ?? []
}

describe('document', () => {
  test('default: is an OpenRPC document by its meta-schema', () => {
    // The meta-schema refers to another one for schemas; ajv checks those itself when it compiles them.
    const own: object = JSON.parse(
      JSON.stringify(metaSchema).replaceAll(
        /"\$ref":"https:\/\/meta\.json-schema\.tools[^"]*"/g,
        '',
      ),
    )
    const options = { strict: false, validateFormats: false, validateSchema: false }
    const validate = new Ajv(options).compile(own)
    validate(document)
    expect(validate.errors).toBeNull()
  })

  test('default: GET /openrpc.json is the same', async () => {
    const response = await fetch(`${gateway.url}/openrpc.json`)
    expect(await response.json()).toEqual(document)
  })

  test('behavior: every parameter has a name and a schema, every served method a result', () => {
    const incomplete = document.methods
      .filter((method) => method['x-support'] !== 'refused')
      .filter(
        ({ name, params, result }) =>
          name !== 'eth_coinbase' &&
          (Object.keys(result.schema).length === 0 ||
            params.some(
              (param) => /^param\d/.test(param.name) || Object.keys(param.schema).length === 0,
            )),
      )
    expect(incomplete.map(({ name }) => name)).toEqual([])
  })

  test('behavior: examples are what the recorded chain answers', async () => {
    for (const [method, params] of exampleCalls) {
      const { result } = await post(gateway.url, method, [...params])
      expect({ method, params, result }).toEqual({
        method,
        ...examples[method as keyof typeof examples],
      })
    }
  })

  test('behavior: states the limits in force', () => {
    expect(document['x-limits']).toMatchObject({ batchLimit: 1_000, logsMaxResults: 10_000 })
  })
})

describe('results', () => {
  test.each(exampleCalls)('%s %j', async (method, params) => {
    expect(await faults(method, params)).toEqual([])
  })

  test('every block with its transactions and receipts', async () => {
    const found: unknown[] = []
    for (const number of heights) {
      const calls = blockCalls(number)
      const body = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }))
      const response = await fetch(gateway.url, { method: 'POST', body: JSON.stringify(body) })
      const answers = (await response.json()) as Awaited<ReturnType<typeof post>>[]
      found.push(...answers.flatMap((answer, index) => faultsIn(calls[index]?.[0] ?? '', answer)))
      expect(answers).toHaveLength(calls.length)
    }
    expect(found).toEqual([])
  })
})

test('GET /chain.json names the chain for wallets', async () => {
  const response = await fetch(`${gateway.url}/chain.json`)
  expect(await response.json()).toMatchObject({
    chainId: 0xb24e27cc,
    nativeCurrency: { decimals: 18 },
    rpc: [`${gateway.url}/wei`, `${gateway.url.replace('http', 'ws')}/wei`],
  })
})
