import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

import type { NativePath } from '../transport.ts'
import { readOutcome, readOutcomes, readOutline, readOutlines } from './messages.ts'
import { malformed } from './wire.ts'

/** One call of the node’s gRPC interface that answers a call of its HTTP interface. */
export type GrpcQuestion<answer = unknown> = {
  method: NativePath
  /** The request, serialised. */
  message: Uint8Array
  /**
   * Reads the response as the HTTP interface would give the wanted part of its answer. Undefined when the node has no such
   * thing: HTTP is asked then.
   *
   * @throws TypeError when it is not the expected message.
   */
  read: (bytes: Buffer) => answer
}

/** The question for a call of the HTTP interface of which only a part is wanted; undefined when there is no such question. */
export function questionOf(
  path: NativePath,
  part: string,
  body: string | undefined,
): GrpcQuestion | undefined {
  const make = QUESTIONS[`${path} ${part}`]
  return make?.(JSON.parse(body ?? '{}') as Request)
}

/** The arguments of the calls below. */
type Request = { num?: number; startNum?: number; endNum?: number; value?: string }

const QUESTIONS: Readonly<Record<string, (request: Request) => GrpcQuestion>> = {
  '/wallet/gettransactioninfobyblocknum logs': ({ num = 0 }) => ({
    method: '/protocol.Wallet/GetTransactionInfoByBlockNum',
    message: numbersMessage(num),
    read: (bytes) => some(readOutcomes(bytes)),
  }),
  '/wallet/gettransactioninfobyid logs': ({ value = '' }) => ({
    method: '/protocol.Wallet/GetTransactionInfoById',
    message: new BinaryWriter()
      .tag(1, WireType.LengthDelimited)
      .bytes(Buffer.from(value, 'hex'))
      .finish(),
    read: (bytes) => readOutcome(bytes),
  }),
  '/wallet/getblockbylimitnext outlines': ({ endNum = 0, startNum = 0 }) => ({
    method: '/protocol.Wallet/GetBlockByLimitNext',
    message: numbersMessage(startNum, endNum),
    read(bytes) {
      const block = some(readOutlines(bytes))
      return block && { block }
    },
  }),
  '/wallet/getblockbynum outline': ({ num = 0 }) => ({
    method: '/protocol.Wallet/GetBlockByNum',
    message: numbersMessage(num),
    read: (bytes) => readOutline(bytes),
  }),
}

/** Which chain a node serves: asks for block 0. */
export const GENESIS: GrpcQuestion<string> = {
  method: '/protocol.Wallet/GetBlockByNum',
  message: numbersMessage(),
  read(bytes) {
    const block = readOutline(bytes)
    if (!block) throw malformed()
    return block.blockID
  },
}

/** A message of int64 fields, in the order of their field numbers, which start at 1. Zeros are left out. */
function numbersMessage(...values: number[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [index, value] of values.entries())
    if (value !== 0) writer.tag(index + 1, WireType.Varint).int64(value)
  return writer.finish()
}

function some<item>(list: item[]): item[] | undefined {
  return list.length > 0 ? list : undefined
}
