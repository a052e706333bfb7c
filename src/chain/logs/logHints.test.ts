import type { Hash } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'

import { post } from '../../../test/support/client.ts'
import { startGateway } from '../../../test/support/gateway.ts'
import { type GrpcNode, startGrpcNode } from '../../../test/support/grpcNode.ts'
import type { ReplayReply, ReplayRequest } from '../../../test/support/node.ts'
import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { CHAIN, labels } from '../../../test/support/recordedChain.ts'
import { toRpcLogs } from '../../codec/log.ts'
import { toQuantity } from '../../codec/quantity.ts'
import type { RpcLog } from '../../codec/types.ts'
import { createLogHints } from './logHints.ts'

const token = `0x${labels.contracts.Token.address.slice(2)}`
const everything = { fromBlock: '0x0', toBlock: 'latest' }

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

type Filter = { fromBlock: string; toBlock: string; address?: string[] }

/** Every log of the recorded chain. */
const all = Array.from({ length: CHAIN.head + 1 }, (_, number) => {
  const { block, infos } = recordedBlock(number)
  return toRpcLogs(block, infos)
}).flat()

/** A gateway whose node answers eth_getLogs as `answer` says. */
async function start(
  answer: (filter: Filter, logs: RpcLog[]) => object,
  intercept: (request: ReplayRequest) => ReplayReply | undefined = () => undefined,
  grpc?: GrpcNode,
) {
  const asked: Filter[] = []
  const gateway = await startGateway({
    // A search reads the whole chain, which takes a busy machine a while.
    config: { upstreamTimeout: 60_000, ...(grpc && { upstreamGrpc: grpc.url }) },
    intercept(request: ReplayRequest) {
      const { body, path } = request
      if (path !== '/jsonrpc' || !body.includes('eth_getLogs')) return intercept(request)
      const { id, params } = JSON.parse(body) as { id: number; params: [Filter] }
      const [filter] = params
      asked.push(filter)
      const logs = all.filter(
        ({ address, blockNumber }) =>
          Number(blockNumber) >= Number(filter.fromBlock) &&
          Number(blockNumber) <= Number(filter.toBlock) &&
          (!filter.address || filter.address.includes(address)),
      )
      return { text: JSON.stringify({ jsonrpc: '2.0', id, ...answer(filter, logs) }) }
    },
  })
  closing.push(() => gateway.close())
  const { node, url } = gateway
  /** Calls that read whole blocks, which only a search without hints makes. */
  const bulkReads = () => node.requests.count('/wallet/getblockbylimitnext')
  return { asked, bulkReads, node, url }
}

/** The same with a gRPC interface. */
async function startWithGrpc(answer: Parameters<typeof start>[0]) {
  const grpc = await startGrpcNode()
  const gateway = await start(answer, undefined, grpc)
  closing.push(() => grpc.close())
  const bulkReads = () => grpc.calls().filter((name) => name === 'GetBlockByLimitNext').length
  return { ...gateway, bulkReads, grpc }
}

const ofToken = all.filter(({ address }) => address === token)
const blocksOfToken = new Set(ofToken.map(({ blockNumber }) => blockNumber)).size
const search = async (url: string) =>
  (await post(url, 'eth_getLogs', [{ ...everything, address: token }])).result

const wrong: Record<string, (log: RpcLog) => RpcLog> = {
  blockHash: (log) => ({ ...log, blockHash: `${log.blockHash.slice(0, -1)}z` as Hash }),
  logIndex: (log) => ({ ...log, logIndex: toQuantity(Number(log.logIndex) + 1) }),
  transactionHash: (log) => ({ ...log, transactionHash: `0x${'ab'.repeat(32)}` }),
  transactionIndex: (log) => ({
    ...log,
    transactionIndex: toQuantity(Number(log.transactionIndex) + 1),
  }),
}
/** Every contract of the chain whose logs fit into one answer. */
const contracts = [...new Set(all.map(({ address }) => address))].filter(
  (contract) => all.filter(({ address }) => address === contract).length < 10_000,
)

describe.each([
  ['HTTP', start],
  ['gRPC', startWithGrpc],
])('outcomes that are read over %s', (_, startGateway) => {
  test('behavior: the logs of every contract', async () => {
    const { url } = await startGateway((_, logs) => ({ result: logs }))
    for (const contract of contracts) {
      const { result } = await post(url, 'eth_getLogs', [{ ...everything, address: contract }])
      expect(result).toEqual(all.filter(({ address }) => address === contract))
    }
  })

  test.for(Object.entries(wrong))(
    'behavior: a node that returns another %s makes the search read all blocks',
    async ([, change]) => {
      const { bulkReads, url } = await startGateway((_, logs) => ({ result: logs.map(change) }))
      const before = bulkReads()
      expect(await search(url)).toEqual(ofToken)
      expect(bulkReads()).toBeGreaterThan(before)
    },
  )
})

describe('a node whose own JSON-RPC is known', () => {
  test('default: only transactions with matches are read, and one whole block', async () => {
    const { asked, node, url } = await start((_, logs) => ({ result: logs }))
    node.requests.reset()
    expect(await search(url)).toEqual(ofToken)
    expect(asked.length).toBeGreaterThan(0)
    const transactions = new Set(ofToken.map(({ transactionHash }) => transactionHash)).size
    expect(node.requests.count('/wallet/gettransactioninfobyid')).toBeGreaterThan(0)
    expect(node.requests.count('/wallet/gettransactioninfobyid')).toBeLessThanOrEqual(transactions)
    expect(node.requests.count('/wallet/gettransactioninfobyblocknum')).toBeLessThan(blocksOfToken)
    expect(node.requests.count('/wallet/getblockbylimitnext')).toBe(0)
  })

  test('behavior: content is never taken from the node’s JSON-RPC', async () => {
    const { url } = await start((_, logs) => ({
      result: logs.map((log) => ({ ...log, data: '0xbad', topics: [], address: '0xbad' })),
    }))
    expect(await search(url)).toEqual(ofToken)
  })

  test('behavior: without calls for single transactions, blocks with matches are read', async () => {
    const { node, url } = await start(
      (_, logs) => ({ result: logs }),
      ({ path }) =>
        path === '/wallet/gettransactioninfobyid'
          ? { status: 405, text: '<html>no</html>', type: 'text/html' }
          : undefined,
    )
    node.requests.reset()
    expect(await search(url)).toEqual(ofToken)
    expect(node.requests.count('/wallet/getblockbylimitnext')).toBe(0)
  })

  test('behavior: a range with too many logs is requested in halves', async () => {
    const { asked, url } = await start((_, logs) =>
      logs.length > 20
        ? { error: { code: -32005, message: 'query returned more than 20 results' } }
        : { result: logs },
    )
    expect(await search(url)).toEqual(ofToken)
    expect(asked.length).toBeGreaterThan(1)
  })

  test('behavior: a range with too many blocks is requested in halves', async () => {
    const { asked, url } = await start(({ fromBlock, toBlock }, logs) =>
      Number(toBlock) - Number(fromBlock) > 100
        ? { error: { code: -32602, message: 'exceed max block range: 100' } }
        : { result: logs },
    )
    expect(await search(url)).toEqual(ofToken)
    expect(asked.length).toBeGreaterThan(1)
  })

  test('behavior: blocks that differ from the hint make the search read all blocks', async () => {
    const { url } = await start((_, logs) => ({
      result: [...logs, { ...logs[0], blockNumber: '0x1' }],
    }))
    expect(await search(url)).toEqual(ofToken)
  })

  test('error: the search reads blocks when the node cannot answer', async () => {
    const { url } = await start(() => ({ error: { code: -32603, message: 'Internal error' } }))
    expect(await search(url)).toEqual(ofToken)
  })

  test.each([null, {}, [null]])('error: %j in place of a list is no hint', async (answer) => {
    const hints = createLogHints({ rpc: () => ({ call: async () => answer }) })
    const match = { addresses: [token], topics: [] }
    const lists = hints.blocksWith({ from: 0, to: 100 }, match, { limit: 10 })
    expect(await Promise.all(lists ?? [])).toEqual([undefined])
  })

  test('behavior: a search without address and topics uses no hints', async () => {
    const { asked, url } = await start((_, logs) => ({ result: logs }))
    const { result } = await post(url, 'eth_getLogs', [{ fromBlock: '0x0', toBlock: '0x64' }])
    expect(result).toEqual(all.filter(({ blockNumber }) => Number(blockNumber) <= 100))
    expect(asked).toEqual([])
  })
})

describe('a node with a gRPC interface', () => {
  test('default: one call is made for each block with matches, and one whole block is read', async () => {
    const { grpc, node, url } = await startWithGrpc((_, logs) => ({ result: logs }))
    node.requests.reset()
    expect(await search(url)).toEqual(ofToken)
    const calls = grpc.calls()
    const count = (method: string) => calls.filter((name) => name === method).length
    const reads = count('GetTransactionInfoByBlockNum') + count('GetTransactionInfoById')
    // One for each block, and the block that is compared whole.
    expect(reads).toBeLessThanOrEqual(blocksOfToken + 1)
    expect(reads).toBeGreaterThanOrEqual(blocksOfToken)
    expect(count('GetTransactionInfoByBlockNum')).toBeGreaterThan(1)
    expect(count('GetTransactionInfoById')).toBeGreaterThan(0)
    expect(count('GetBlockByLimitNext')).toBe(0)
    expect(node.requests.count('/wallet/gettransactioninfobyblocknum')).toBe(0)
    expect(node.requests.count('/wallet/gettransactioninfobyid')).toBe(0)
  })

  test('behavior: a log that is missing in one block of the hint makes the search read all blocks', async () => {
    const { grpc, url } = await startWithGrpc((_, logs) => ({
      result: logs.filter((_, index) => index !== logs.length - 1 || logs.length === 1),
    }))
    expect(await search(url)).toEqual(ofToken)
    expect(grpc.calls()).toContain('GetBlockByLimitNext')
  })
})
