import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'

import { malformed } from '../protobuf/fields.ts'
import type { NativePath } from '../transport/transport.ts'
import type { Block, Hex } from '../wire/types.ts'
import * as answers from './answers.ts'
import {
  readCode,
  readHeight,
  readOutcome,
  readOutcomes,
  readOutline,
  readOutlines,
  readParties,
} from './messages.ts'
import { readBlockView, readBlockViews, readOutcomeViews } from './views.ts'

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

/** The gRPC call for the answer of an HTTP call or a part of it (see `SendOptions`); undefined when there is none. */
export function grpcCallFor(
  path: NativePath,
  part: string,
  body: string | undefined,
): GrpcCall | undefined {
  const request = JSON.parse(body ?? '{}') as Request
  return isPlain(request) ? CALLS[`${path} ${part}`]?.(request) : undefined
}

/** The arguments of the calls below. */
type Request = {
  num?: number
  startNum?: number
  endNum?: number
  value?: string
  address?: string
}

/** Whether a request has only hex, and whole numbers where they belong. The node says what is wrong with any other one. */
function isPlain(request: Request): boolean {
  return Object.entries(request).every(([name, value]) =>
    NUMBERS.has(name)
      ? Number.isSafeInteger(value)
      : typeof value === 'string' && /^(?:[\da-f]{2})*$/.test(value),
  )
}

const NUMBERS = new Set(['num', 'startNum', 'endNum'])

const block = ({ num = 0 }: Request) =>
  call(
    'GetBlockByNum',
    numbersMessage(num),
    ({ block_header }) => (block_header?.raw_data.number ?? 0) === num,
  )
const blockById = ({ value }: Request) =>
  call('GetBlockById', bytesMessage(value), ({ blockID }) => blockID === value)
const blocks = ({ endNum = 0, startNum = 0 }: Request) =>
  call('GetBlockByLimitNext', numbersMessage(startNum, endNum))
const outcome = ({ value }: Request) =>
  call('GetTransactionInfoById', bytesMessage(value), ({ id }) => id === value)
const outcomes = ({ num = 0 }: Request) => call('GetTransactionInfoByBlockNum', numbersMessage(num))

const CALLS: Readonly<Record<string, (request: Request) => GrpcCall>> = {
  '/wallet/gettransactioninfobyblocknum logs': (request) =>
    outcomes(request)((bytes) => some(readOutcomes(bytes))),
  '/wallet/gettransactioninfobyid logs': (request) => outcome(request)(readOutcome),
  '/wallet/getblockbylimitnext outlines': (request) =>
    blocks(request)((bytes) => listed(readOutlines(bytes))),
  '/wallet/getblockbylimitnext parties': (request) =>
    blocks(request)((bytes) => listed(readParties(bytes))),
  '/wallet/getblockbynum outline': (request) => block(request)(readOutline),
  '/wallet/getcontractinfo code': ({ value }) =>
    call('GetContractInfo', bytesMessage(value))((bytes) => readCode(bytes) ?? NONE),

  '/wallet/gettransactioninfobyid height': (request) =>
    outcome(request)((bytes) => readHeight(bytes) ?? NONE),

  '/wallet/getblockbynum view': (request) => block(request)(readBlockView),
  '/wallet/getblockbyid view': (request) => blockById(request)(readBlockView),
  '/wallet/getblockbylimitnext views': (request) =>
    blocks(request)((bytes) => listed(readBlockViews(bytes))),
  '/wallet/gettransactioninfobyblocknum views': (request) => outcomes(request)(readOutcomeViews),

  '/wallet/getblockbynum whole': (request) => block(request)(answers.readBlock),
  '/wallet/getblockbyid whole': (request) => blockById(request)(answers.readBlock),
  '/wallet/getblockbylimitnext whole': (request) =>
    blocks(request)((bytes) => listed(answers.readBlocks(bytes))),
  '/wallet/gettransactionbyid whole': ({ value }) =>
    call(
      'GetTransactionById',
      bytesMessage(value),
      ({ txID }) => txID === value,
    )(answers.readTransaction),
  '/wallet/gettransactioninfobyid whole': (request) => outcome(request)(answers.readInfo),
  '/wallet/gettransactioninfobyblocknum whole': (request) => outcomes(request)(answers.readInfos),
}

/** What gRPC answers: the path of the HTTP call and the part of its answer. */
export const GRPC_READS: readonly (readonly [path: NativePath, part: string])[] = Object.keys(
  CALLS,
).map((key) => key.split(' ') as [NativePath, string])

/** The answer over HTTP for what does not exist. Accounts without code and transactions that wait are asked for too often to ask twice. */
const NONE = {}

/** The fields that identify a block, a transaction or its outcome. */
type Named = Partial<Pick<Block, 'blockID' | 'block_header'>> & { id?: Hex; txID?: Hex }

/** @param isOf - whether the answer belongs to the request. If not, the call is made over HTTP. */
const call =
  (name: string, message: Uint8Array, isOf: (answer: Named) => boolean = () => true) =>
  (read: GrpcCall['read']): GrpcCall => ({
    method: `/protocol.Wallet/${name}`,
    message,
    read(bytes) {
      const answer = read(bytes)
      if (answer && answer !== NONE && !isOf(answer)) throw malformed()
      return answer
    },
  })

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

/** A message with one field of bytes. */
function bytesMessage(hex = ''): Uint8Array {
  return new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(Buffer.from(hex, 'hex')).finish()
}

function some<item>(list: item[]): item[] | undefined {
  return list.length > 0 ? list : undefined
}

const listed = <item>(list: item[]) => some(list) && { block: list }
