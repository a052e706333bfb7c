import { expect, onTestFinished, test } from 'vitest'

import { startGrpcNode } from '../../../test/support/grpcNode.ts'
import { startReplayNode } from '../../../test/support/node.ts'
import { fromPrepared } from '../../lib/prepared.ts'
import { createNodeClient, type NativeClient } from '../../native/client.ts'
import { withGrpc } from '../../native/grpc/withGrpc.ts'
import { createHttpTransport } from '../../native/transport/transport.ts'
import { loadContent } from '../reads/load.ts'
import { type CachedBlock, createCachedBlock } from './cachedBlock.ts'
import { arrayOf } from './logChunk.ts'
import { createLogMatcher } from './logMatch.ts'

const context = { baseFeePerGas: 210n, chainId: 0xb24e27cc, energyPrice: 210n }
const everything = createLogMatcher({ addresses: [], topics: [] })
const HEAD = 223

const ANSWERS: Record<string, (block: CachedBlock) => unknown> = {
  slim: (block) => fromPrepared(block.slim(context)),
  full: (block) => fromPrepared(block.full(context).whole),
  receipts: (block) => fromPrepared(block.receipts(context).whole),
  logs(block) {
    const chunk = block.logs(everything)
    return fromPrepared(arrayOf([chunk], chunk.count))
  },
  concerned: (block) => block.concerned(),
  'one alone': (block) => {
    const last = block.transactions.length - 1
    const [transaction, receipt] = [block.transaction(last, context), block.receipt(last, context)]
    return {
      receipt: receipt && fromPrepared(receipt),
      transaction: transaction && fromPrepared(transaction),
    }
  },
}

test('default: every answer about every recorded block is the same over HTTP and over gRPC', async () => {
  const [node, grpcNode] = await Promise.all([startReplayNode(), startGrpcNode()])
  const transport = createHttpTransport({ upstream: node.url })
  const http = createNodeClient({ transport })
  const grpc = createNodeClient({
    transport: withGrpc(createHttpTransport({ upstream: node.url }), {
      address: grpcNode.url,
      name: 'node-1',
      timeout: 10_000,
    }),
  })
  onTestFinished(async () => {
    await Promise.all([http.close(), grpc.close()])
    await Promise.all([node.close(), grpcNode.close()])
  })
  async function read(native: NativeClient, number: number): Promise<CachedBlock> {
    const content = await loadContent(native, { number }, undefined, { isCheap: true })
    return createCachedBlock(content!, () => {})
  }
  for (let number = 0; number <= HEAD; number++)
    // Each answer is built of the native content, so each of them begins with a block that has no other.
    for (const [name, answer] of Object.entries(ANSWERS)) {
      const [one, other] = await Promise.all([read(http, number), read(grpc, number)])
      expect(answer(other), `${name} of block ${number}`).toStrictEqual(answer(one))
      expect(other.bytes()).toBeGreaterThan(0)
    }
  expect(grpcNode.calls().length).toBeGreaterThan(HEAD)
})
