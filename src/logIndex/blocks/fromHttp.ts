import { isDeepStrictEqual } from 'node:util'

import { type MessageShape, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

import { readBlock, readInfos } from '../../native/grpc/answers.ts'
import {
  BlockHeaderSchema,
  TransactionInfoSchema as InfoSchema,
} from '../../native/protobuf/gen/answers_pb.ts'
import { messageFromJson } from '../../native/protobuf/message.ts'
import { encodeTransaction } from '../../native/protobuf/transaction.ts'
import type { Block, TransactionInfo } from '../../native/wire/types.ts'
import { listOf } from './row.ts'

// Answers of the HTTP interface as gRPC gives them. What does not read the same again is not stored, such as a field of a later release.

/** @throws TypeError when the block cannot be stored */
export function blockFromHttp(block: Block): Buffer {
  const header = messageFromJson(BlockHeaderSchema, block.block_header) as MessageShape<
    typeof BlockHeaderSchema
  >
  const writer = new BinaryWriter()
  for (const transaction of block.transactions ?? [])
    writer
      .tag(1, WireType.LengthDelimited)
      .bytes(Buffer.from(encodeTransaction(transaction), 'hex'))
  writer.tag(2, WireType.LengthDelimited).bytes(toBinary(BlockHeaderSchema, header))
  return same(Buffer.from(writer.finish()), block, readBlock)
}

/** @throws TypeError when the outcomes cannot be stored */
export function outcomesFromHttp(infos: readonly TransactionInfo[]): Buffer {
  const messages = infos.map((info) => {
    const message = messageFromJson(InfoSchema, info) as MessageShape<typeof InfoSchema>
    // The one address of the node that is not 21 bytes long.
    for (const [index, { address = '' }] of (info.log ?? []).entries())
      Object.assign(message.log[index] ?? {}, { address: Buffer.from(address, 'hex') })
    return Buffer.from(toBinary(InfoSchema, message))
  })
  return same(listOf(messages), infos, readInfos)
}

function same(bytes: Buffer, answer: unknown, read: (bytes: Buffer) => unknown): Buffer {
  if (!isDeepStrictEqual(read(bytes), answer)) throw new TypeError('it has unknown fields')
  return bytes
}
