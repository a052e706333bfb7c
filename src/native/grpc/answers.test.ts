import { expect, onTestFinished, test } from 'vitest'

import { startGrpcNode } from '../../../test/support/grpcNode.ts'
import { startReplayNode } from '../../../test/support/node.ts'
import { nativeRecording } from '../../../test/support/recording.ts'
import { createNodeClient, type NativeClient } from '../client.ts'
import { createHttpTransport } from '../transport/transport.ts'
import type { BlockView } from '../wire/views.ts'
import { withGrpc } from './withGrpc.ts'

/** The same node over HTTP alone, and with its gRPC interface. */
async function setup() {
  const node = await startReplayNode()
  const grpcNode = await startGrpcNode()
  const transport = withGrpc(createHttpTransport({ upstream: node.url }), {
    address: grpcNode.url,
    name: 'node-1',
    timeout: 10_000,
  })
  const grpc = createNodeClient({ transport })
  const http = createNodeClient({ transport: createHttpTransport({ upstream: node.url }) })
  onTestFinished(async () => {
    await Promise.all([grpc.close(), http.close()])
    await Promise.all([node.close(), grpcNode.close()])
  })
  return { grpc, grpcNode, http, status: () => transport.grpc() }
}

/** The bodies of the recorded calls of a path: of all clients, so some are wrong. */
function recorded(path: string): object[] {
  return Object.keys(nativeRecording().requests[`/wallet/${path}`] ?? {})
    .filter((body) => body.startsWith('{') && !body.includes('visible'))
    .map((body) => JSON.parse(body) as object)
}

/** The answer, or the message of the error. */
const outcomeOf = (answer: Promise<unknown>) =>
  answer.catch((error: unknown) => (error as Error).message)

const READS: Record<string, (native: NativeClient, request: never) => Promise<unknown>> = {
  getblockbynum: ({ wallet }, request) => wallet.getBlockByNum(request),
  getblockbyid: ({ wallet }, request) => wallet.getBlockById(request),
  gettransactionbyid: ({ wallet }, request) => wallet.getTransactionById(request),
  gettransactioninfobyid: ({ wallet }, request) => wallet.getTransactionInfoById(request),
  'gettransactioninfobyid height': ({ wallet }, request) => wallet.getTransactionHeight(request),
  gettransactioninfobyblocknum: ({ wallet }, request) =>
    wallet.getTransactionInfoByBlockNum(request),
  getcontractinfo: ({ wallet }, request) => wallet.getRuntimeCode(request),
  'getblockbynum view': async ({ wallet }, request) =>
    contentOf(await wallet.getBlockViewByNum(request)),
  'getblockbyid view': async ({ wallet }, request) =>
    contentOf(await wallet.getBlockViewById(request)),
  'gettransactioninfobyblocknum views': async ({ wallet }, request) =>
    (await wallet.getOutcomeViewsByBlockNum(request)).map((view) => {
      const { held: _, blockTimeStamp = 0, logs, whole, ...rest } = view
      const { id, log } = logs()
      return { ...rest, blockTimeStamp, id, log, whole: whole() }
    }),
}

/** All that a view of a block gives, but its size: HTTP has none. */
function contentOf(view: BlockView | undefined) {
  if (!view) return undefined
  const { held: _, size: _size, transaction, txIDs, whole, ...rest } = view
  const transactions = [...txIDs, 'none more'].map((_, index) => transaction(index))
  return { ...rest, transactions, txIDs, whole: whole() }
}

test.each(Object.entries(READS))(
  'default: every recorded answer of %s is the same',
  async (path, read) => {
    const { grpc, grpcNode, http, status } = await setup()
    const requests = recorded(path.split(' ')[0] ?? '')
    for (const request of requests)
      expect(await outcomeOf(read(grpc, request as never))).toStrictEqual(
        await outcomeOf(read(http, request as never)),
      )
    expect(requests.length).toBeGreaterThan(0)
    expect(grpcNode.calls().length).toBeGreaterThan(requests.length / 2)
    expect(status()).toMatchObject({ state: 'up', failed: 0 })
  },
)

test('default: blocks of a range', async () => {
  const { grpc, http } = await setup()
  const range = { startNum: 1, endNum: 100 }
  expect(await grpc.wallet.getBlockByLimitNext(range)).toStrictEqual(
    await http.wallet.getBlockByLimitNext(range),
  )
  expect((await grpc.wallet.getBlockViews(range)).map(contentOf)).toStrictEqual(
    (await http.wallet.getBlockViews(range)).map(contentOf),
  )
})

test('behavior: what a client of /wallet asks is answered over HTTP, as the node writes it', async () => {
  const { grpc, grpcNode } = await setup()
  await grpc.call('wallet', 'getblockbynum', { num: 1 })
  expect(grpcNode.calls()).toEqual([])
})
