import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

import { malformed } from '../protobuf/wire.ts'
import type { NativePath } from '../transport/transport.ts'
import { readOutcome, readOutcomes, readOutline, readOutlines } from './messages.ts'

/** A call of the node’s gRPC interface that gives the answer of a call of its HTTP interface. */
export type GrpcCall<answer = unknown> = {
  method: NativePath
  /** The serialised request. */
  message: Uint8Array
  /**
   * Reads the response in the format of the HTTP interface's answer. Undefined when the node does not have the object; then
   * the caller uses HTTP.
   *
   * @throws TypeError when it is not the expected message.
   */
  read: (bytes: Buffer) => answer
}

/** The gRPC call for a part of the answer of an HTTP call; undefined when there is none. */
export function grpcCallFor(
  path: NativePath,
  part: string,
  body: string | undefined,
): GrpcCall | undefined {
  return CALLS[`${path} ${part}`]?.(JSON.parse(body ?? '{}') as Request)
}

/** The arguments of the calls below. */
type Request = { num?: number; startNum?: number; endNum?: number; value?: string }

const CALLS: Readonly<Record<string, (request: Request) => GrpcCall>> = {
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

/** Reads the hash of block 0, which identifies the chain. */
export const GENESIS: GrpcCall<string> = {
  method: '/protocol.Wallet/GetBlockByNum',
  message: numbersMessage(),
  read(bytes) {
    const block = readOutline(bytes)
    if (!block) throw malformed()
    return block.blockID
  },
}

/** A message of int64 fields in the order of their field numbers, which start at 1. Zeros are omitted. */
function numbersMessage(...values: number[]): Uint8Array {
  const writer = new BinaryWriter()
  for (const [index, value] of values.entries())
    if (value !== 0) writer.tag(index + 1, WireType.Varint).int64(value)
  return writer.finish()
}

function some<item>(list: item[]): item[] | undefined {
  return list.length > 0 ? list : undefined
}
