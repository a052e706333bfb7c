import { expect, onTestFinished, test } from 'vitest'

import { startGateway } from '../../../test/support/gateway.ts'
import { type GrpcRequest, startGrpcNode } from '../../../test/support/grpcNode.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'

type Answer = { id: number; result: { number: string } | null }

/** Gateways with and without gRPC. The cache holds no block, so each batch is read from the node. */
async function setup(intercept?: startGrpcNode.Options['intercept']) {
  const grpc = await startGrpcNode(intercept && { intercept })
  const config = { cacheBytes: 0, upstreamTimeout: 60_000 }
  const plain = await startGateway({ config })
  const gateway = await startGateway({ config: { ...config, upstreamGrpc: grpc.url } })
  onTestFinished(async () => {
    await Promise.all([plain.close(), gateway.close()])
    await grpc.close()
  })
  return { gateway, grpc, plain }
}

async function batch(url: string, from: number, count: number, full = false): Promise<Answer[]> {
  const calls = Array.from({ length: count }, (_, at) => ({
    jsonrpc: '2.0',
    id: from + at,
    method: 'eth_getBlockByNumber',
    params: [`0x${(from + at).toString(16)}`, full],
  }))
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(calls) })
  return (await response.json()) as Answer[]
}

const BULK = '/wallet/getblockbylimitnext'
const OUTCOMES = '/wallet/gettransactioninfobyblocknum'

test('default: every recorded block, in batches, is as over HTTP', async () => {
  const { gateway, grpc, plain } = await setup()
  for (let from = 0; from <= CHAIN.head; from += 10) {
    const blocks = await batch(gateway.url, from, 10)
    expect(blocks).toEqual(await batch(plain.url, from, 10))
    expect(blocks.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, at) => from + at))
  }
  expect(grpc.calls()).toContain('GetBlockByLimitNext')
  // Genesis, of which no node has the outcomes, is among the ones of the first batch that are read over HTTP.
  expect(gateway.node.requests.count(BULK)).toBeLessThan(3)
})

test('default: whole blocks and single ones are as over HTTP', async () => {
  const { gateway, plain } = await setup()
  for (const [count, full] of [
    [5, true],
    [1, false],
  ] as const)
    expect(await batch(gateway.url, 20, count, full)).toEqual(
      await batch(plain.url, 20, count, full),
    )
})

test('behavior: with memory, a block that was read is not read again', async () => {
  const grpc = await startGrpcNode()
  const gateway = await startGateway({ config: { upstreamGrpc: grpc.url } })
  onTestFinished(async () => {
    await gateway.close()
    await grpc.close()
  })
  const blocks = await batch(gateway.url, 20, 10)
  const calls = grpc.calls().length
  expect(await batch(gateway.url, 20, 10)).toEqual(blocks)
  expect(grpc.calls()).toHaveLength(calls)
})

/** Answers that do not fit, by method. */
const FAULTS: Record<string, (request: GrpcRequest) => { bytes: Buffer } | { code: number }> = {
  'the outcomes of another block': () => ({
    bytes: Buffer.from('0a220a20' + '11'.repeat(32), 'hex'),
  }),
  'no such method': () => ({ code: 12 }),
}

for (const [name, fault] of Object.entries(FAULTS))
  test(`error: ${name} over gRPC: HTTP answers`, async () => {
    const { gateway, plain } = await setup((request) =>
      request.method === 'GetTransactionInfoByBlockNum' ? fault(request) : undefined,
    )
    expect(await batch(gateway.url, 120, 10)).toEqual(await batch(plain.url, 120, 10))
    expect(gateway.node.requests.count(OUTCOMES)).toBeGreaterThan(0)
  })
