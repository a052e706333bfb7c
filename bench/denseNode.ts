// A node whose blocks are as dense as those of a busy public chain: 200 to 300 transactions each. The transactions and their outcomes were
// recorded from a real node and have at most five logs. Each gets another memo, so that each has its own id. Heights, times, parents and
// ids of the blocks are new. It serves HTTP, gRPC and the receipts of a node's JSON-RPC, all from the same bytes.
import { createHash } from 'node:crypto'

import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

import { readBlock, readInfo, readInfos } from '../src/native/grpc/answers.ts'
import { readBlockView, readOutcomeViews } from '../src/native/grpc/views.ts'
import { fieldsOf, itemsOf, nextField } from '../src/native/protobuf/fields.ts'
import { stringifyNative } from '../src/native/wire/json.ts'
import type { Block } from '../src/native/wire/types.ts'
import type { OutcomeView } from '../src/native/wire/views.ts'
import { startGrpcNode } from '../test/support/grpcNode.ts'
import { startReplayNode } from '../test/support/node.ts'
import { grpcRecording } from '../test/support/recording.ts'

/** Newest block. Those that are solidified are read. */
const HEAD = 1_040
const SOLID = 1_020

/** Most logs of a transaction that is used. */
const LOGS = 5

/** Milliseconds of the first block and between two. */
const START = 1_800_000_000_000
const INTERVAL = 3_000

/** Field numbers. */
const BLOCK = { transactions: 1, header: 2 }
const HEADER = { raw: 1, timestamp: 1, parent: 3, number: 7 }
const TRANSACTION = { raw: 1, memo: 10 }
const INFO = { id: 1, number: 3, timestamp: 4, log: 8 }

/** The answer for what does not exist. */
const NONE = Buffer.alloc(0)

type Made = { id: string; block: Buffer; infos: Buffer[]; ids: string[] }
type Content = number | Uint8Array

const chain = makeChain()
const places = new Map(
  chain.flatMap(({ ids }, at) => ids.map((id, index) => [id, { at, index }] as const)),
)

const http = await startReplayNode({
  intercept({ body, path }) {
    const request = JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>
    const answer = path === '/jsonrpc' ? receiptOf(request) : answerOf(path, request)
    return answer === undefined ? undefined : { text: stringifyNative(answer) }
  },
})
const grpc = await startGrpcNode({
  intercept({ message, method }) {
    const { 1: first = 0, 2: second = 0 } = numbersOf(message)
    switch (method) {
      case 'GetBlockByNum':
        return first === 0 ? undefined : { bytes: madeAt(first)?.block ?? NONE }
      case 'GetBlockById':
        return {
          bytes: madeAt(Number(`0x${message.toString('hex', 2, 10)}`))?.block ?? NONE,
        }
      case 'GetBlockByLimitNext':
        return { bytes: list(chain.slice(first - 1, second - 1).map(({ block }) => block)) }
      case 'GetTransactionInfoByBlockNum':
        return { bytes: list(madeAt(first)?.infos ?? []) }
      case 'GetTransactionInfoById':
        return { bytes: infoOf(message.toString('hex', 2)) ?? NONE }
      default:
        return undefined
    }
  },
})
process.send?.({
  grpcUrl: grpc.url,
  hashes: chain.slice(0, SOLID - 20).map(({ ids }) => `0x${ids[Math.floor(0.7 * ids.length)]}`),
  rpcUrl: http.rpcUrl,
  transactions: places.size,
  url: http.url,
})

function answerOf(path: string, request: Record<string, unknown>): unknown {
  const number = Number(request['num'] ?? request['id_or_num'] ?? 0)
  switch (path) {
    case '/wallet/getnowblock':
    case '/wallet/getblock':
      return number === 0 && request['id_or_num'] !== undefined
        ? undefined
        : blockAt(number || HEAD)
    case '/walletsolidity/getnowblock':
    case '/walletsolidity/getblock':
      return number === 0 && request['id_or_num'] !== undefined
        ? undefined
        : blockAt(number || SOLID)
    case '/wallet/getblockbynum':
      return number === 0 ? undefined : blockAt(number)
    case '/wallet/getblockbyid':
      return blockAt(Number(`0x${String(request['value']).slice(0, 16)}`))
    case '/wallet/getblockbylimitnext': {
      const { endNum, startNum } = request as { endNum: number; startNum: number }
      return { block: chain.slice(startNum - 1, endNum - 1).map(({ block }) => readBlock(block)) }
    }
    case '/wallet/gettransactioninfobyblocknum':
      return readInfos(list(madeAt(number)?.infos ?? []))
    case '/wallet/gettransactioninfobyid':
      return readInfo(infoOf(String(request['value'])) ?? NONE) ?? {}
    case '/wallet/gettransactionbyid': {
      const place = places.get(String(request['value']))
      return (
        (place && readBlockView(madeAt(place.at + 1)?.block ?? NONE)?.transaction(place.index)) ??
        {}
      )
    }
    default:
      return undefined
  }
}

/** What the node's JSON-RPC says of a transaction, as far as it is used. */
function receiptOf({ id, method, params }: Record<string, unknown>): unknown {
  if (method !== 'eth_getTransactionReceipt') return undefined
  const [hash = ''] = params as string[]
  const { at = 0, index = 0 } = places.get(hash.slice(2)) ?? {}
  const { id: blockId, infos } = chain[at] as Made
  const views = readOutcomeViews(list(infos.slice(0, index + 1)))
  const { energy, logCount } = views.at(-1) as OutcomeView
  const used = views.reduce((sum, view) => sum + Number(view.energy), 0)
  const logs = views.reduce((sum, view) => sum + view.logCount, 0)
  const result = {
    blockHash: `0x${blockId}`,
    blockNumber: hex(at + 1),
    cumulativeGasUsed: hex(used),
    gasUsed: hex(Number(energy)),
    logs: Array.from({ length: logCount }, (_, log) => ({ logIndex: hex(logs - logCount + log) })),
    transactionHash: hash,
    transactionIndex: hex(index),
  }
  return { jsonrpc: '2.0', id, result }
}

function makeChain(): Made[] {
  const recorded = recordedTransactions()
  const header = headerOf(grpcRecording()['/protocol.Wallet/GetBlockByNum'] ?? {})
  const made: Made[] = []
  let parent = Buffer.from((readBlock(blockBytes('')) as Block).blockID, 'hex')
  for (let number = 1, count = 0; number <= HEAD; number++) {
    const timestamp = START + number * INTERVAL
    const ids: string[] = []
    const infos: Buffer[] = []
    const transactions: Buffer[] = []
    for (let left = 200 + ((number * 37) % 101); left > 0; left--) {
      const { info, transaction } = recorded[count % recorded.length] as Recorded
      const memo = Buffer.from(`${count++}`)
      const raw = changed(contentOf(transaction, TRANSACTION.raw), [[TRANSACTION.memo, memo]])
      const id = createHash('sha256').update(raw).digest()
      ids.push(id.toString('hex'))
      transactions.push(changed(transaction, [[TRANSACTION.raw, raw]]))
      infos.push(
        changed(info, [
          [INFO.id, id],
          [INFO.number, number],
          [INFO.timestamp, timestamp],
        ]),
      )
    }
    const raw = changed(contentOf(header, HEADER.raw), [
      [HEADER.timestamp, timestamp],
      [HEADER.parent, parent],
      [HEADER.number, number],
    ])
    const block = Buffer.concat([
      list(transactions),
      written([[BLOCK.header, changed(header, [[HEADER.raw, raw]])]]),
    ])
    const hash = createHash('sha256').update(raw).digest('hex')
    const id = number.toString(16).padStart(16, '0') + hash.slice(16)
    parent = Buffer.from(id, 'hex')
    made.push({ id, block, ids, infos })
  }
  return made
}

type Recorded = { transaction: Buffer; info: Buffer }

function recordedTransactions(): Recorded[] {
  const blocks = grpcRecording()['/protocol.Wallet/GetBlockByNum'] ?? {}
  const outcomes = grpcRecording()['/protocol.Wallet/GetTransactionInfoByBlockNum'] ?? {}
  return Object.keys(blocks).flatMap((key) => {
    const infos = itemsOf(Buffer.from(outcomes[key] ?? '', 'base64'))
    const transactions = itemsOf(blockBytes(key))
    return infos.flatMap((info, at) => {
      const transaction = transactions[at]
      const logs = (readInfo(info)?.log ?? []).length
      return key !== '' && transaction && logs <= LOGS ? [{ info, transaction }] : []
    })
  })
}

/** The header of a block that has transactions. */
function headerOf(blocks: Record<string, string>): Buffer {
  const key = Object.keys(blocks).find((key) => key !== '' && itemsOf(blockBytes(key)).length > 0)
  return contentOf(blockBytes(key ?? ''), BLOCK.header)
}

function blockBytes(key: string): Buffer {
  const blocks = grpcRecording()['/protocol.Wallet/GetBlockByNum'] ?? {}
  return Buffer.from(blocks[key] ?? '', 'base64')
}

function madeAt(number: number): Made | undefined {
  return chain[number - 1]
}

function blockAt(number: number): Block | undefined {
  return readBlock(madeAt(number)?.block ?? NONE)
}

function infoOf(id: string): Buffer | undefined {
  const place = places.get(id)
  return place && chain[place.at]?.infos[place.index]
}

function list(items: readonly Buffer[]): Buffer {
  return written(items.map((item) => [1, item]))
}

/** A message with other values of some fields. */
function changed(bytes: Buffer, values: [field: number, content: Content][]): Buffer {
  const kept: Buffer[] = []
  const field = fieldsOf(bytes, 0, bytes.length)
  for (let from = 0; nextField(field); from = field.next)
    if (!values.some(([number]) => number === field.number))
      kept.push(bytes.subarray(from, field.next))
  return Buffer.concat([written(values), ...kept])
}

function written(values: [field: number, content: Content][]): Buffer {
  const writer = new BinaryWriter()
  for (const [number, content] of values)
    if (typeof content === 'number') writer.tag(number, WireType.Varint).int64(content)
    else writer.tag(number, WireType.LengthDelimited).bytes(content)
  return Buffer.from(writer.finish())
}

function contentOf(bytes: Buffer, number: number): Buffer {
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field))
    if (field.number === number) return bytes.subarray(field.start, field.end)
  throw new Error(`no field ${number}`)
}

function numbersOf(bytes: Buffer): Record<number, number> {
  const values: Record<number, number> = {}
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field)) values[field.number] = field.value
  return values
}

function hex(value: number): string {
  return `0x${value.toString(16)}`
}
