import { expect, onTestFinished, test } from 'vitest'

import { startGrpcNode } from '../../../test/support/grpcNode.ts'
import { startReplayNode } from '../../../test/support/node.ts'
import { createNodeClient } from '../client.ts'
import { createUpstreams } from '../pool/upstreams.ts'
import { createHttpTransport } from '../transport/transport.ts'
import type { Upstream } from '../upstream.ts'

/** A gateway’s connection to nodes with both interfaces. @param genesis - of each gRPC interface: whether it is of the chain */
async function setup(...isRight: boolean[]) {
  const parts = await Promise.all(
    isRight.map(async (right, index) => {
      const http = await startReplayNode()
      const grpc = await startGrpcNode({
        intercept: ({ message }) =>
          right || message.length > 0 ? undefined : { bytes: OTHER_GENESIS },
      })
      const upstream: Upstream = {
        concurrency: 40,
        grpc: grpc.url,
        headers: {},
        name: `node-${index + 1}`,
        rate: 'unlimited',
        solidity: http.url,
        tier: index,
        timeout: 10_000,
        wallet: http.url,
        weight: 1,
      }
      return { grpc, http, upstream }
    }),
  )
  const lines: string[] = []
  const log = (_: object, message: string) => void lines.push(message)
  const transport = createUpstreams({
    log: { info: log, warn: log },
    upstreams: parts.map(({ upstream }) => upstream),
  })
  const native = createNodeClient({ transport })
  const [first] = parts
  const plain = createHttpTransport({ upstream: first?.http.url ?? '' })
  onTestFinished(async () => {
    await Promise.all([native.close(), plain.close()])
    await Promise.all(parts.flatMap(({ grpc, http }) => [grpc.close(), http.close()]))
  })
  // The chain is known once an answer was confirmed.
  await native.wallet.getEnergyPrices()
  return { http: createNodeClient({ transport: plain }), lines, native, parts, transport }
}

/** A block whose header has only a time. */
const OTHER_GENESIS = Buffer.from('12040a020801', 'hex')

const PATH = '/wallet/gettransactioninfobyblocknum'

test.each([[[true]], [[true, true]]])('default: one node and several: %o', async (nodes) => {
  const { http, native, parts, transport } = await setup(...nodes)
  for (let num = 1; num <= 40; num++)
    expect(await native.wallet.getTransactionLogsByBlockNum({ num })).toStrictEqual(
      await http.wallet.getTransactionLogsByBlockNum({ num }),
    )
  const [first] = parts
  expect(
    first?.grpc.calls().filter((name) => name === 'GetTransactionInfoByBlockNum'),
  ).toHaveLength(40)
  expect(transport.status()[0]).toMatchObject({ grpc: { state: 'up', calls: 40, failed: 0 } })
})

test.each([[[false]], [[false, true]]])('error: gRPC of another chain: %o', async (nodes) => {
  const { http, lines, native, parts, transport } = await setup(...nodes)
  const asked = parts[0]?.http.requests.count(PATH) ?? 0
  for (let num = 1; num <= 40; num++)
    expect(await native.wallet.getTransactionLogsByBlockNum({ num })).toStrictEqual(
      await http.wallet.getTransactionLogsByBlockNum({ num }),
    )
  expect(parts[0]?.http.requests.count(PATH)).toBe(asked + 80)
  expect(transport.status()[0]).toMatchObject({
    state: 'healthy',
    grpc: { state: 'down', reason: 'it serves another chain' },
  })
  expect(lines.filter((line) => line.includes('gRPC'))).toEqual([
    'the gRPC interface of upstream node-1 fails, calls go over HTTP: it serves another chain',
  ])
})
