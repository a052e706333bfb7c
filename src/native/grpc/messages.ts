import { hash } from 'node:crypto'

import { type Fields, fieldsOf, malformed, nextField } from '../protobuf/wire.ts'
import type { BlockOutline } from '../wire/blockOutline.ts'
import type { OutcomeLogs } from '../wire/transactionLogs.ts'
import type { Hex, Log } from '../wire/types.ts'

/** The logs of one transaction, in the format of `gettransactioninfobyid`. Undefined for an empty message: no such transaction. */
export function readOutcome(bytes: Buffer): OutcomeLogs | undefined {
  return bytes.length === 0 ? undefined : outcomeAt(withHex(bytes), 0, bytes.length)
}

/** The logs of the transactions of a block, in the format of `gettransactioninfobyblocknum`. */
export function readOutcomes(bytes: Buffer): OutcomeLogs[] {
  const message = withHex(bytes)
  const outcomes: OutcomeLogs[] = []
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field))
    if (field.number === LIST_ITEM) outcomes.push(outcomeAt(message, within(field), field.end))
  return outcomes
}

/** The outline of a block. Undefined for an empty message: no such block. */
export function readOutline(bytes: Buffer): BlockOutline | undefined {
  return bytes.length === 0 ? undefined : outlineAt(bytes, 0, bytes.length)
}

/** The outlines of a list of blocks. */
export function readOutlines(bytes: Buffer): BlockOutline[] {
  const outlines: BlockOutline[] = []
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field))
    if (field.number === LIST_ITEM) outlines.push(outlineAt(bytes, within(field), field.end))
  return outlines
}

/** The id and the height of a transaction, without its outcome. Undefined for an empty message: no such transaction. */
export function readHeight(bytes: Buffer): { id: Hex; blockNumber: number } | undefined {
  let id = ''
  let blockNumber = 0
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field))
    if (field.number === INFO.id) id = hexAt(bytes, field)
    else if (field.number === INFO.blockNumber) blockNumber = exact(field)
  return bytes.length === 0 ? undefined : { id, blockNumber }
}

/** The code that runs when a contract is called. Undefined for an empty message: no such contract. */
export function readCode(bytes: Buffer): { smart_contract: object; runtimecode: Hex } | undefined {
  let runtimecode = ''
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field))
    if (field.number === CONTRACT.runtimecode) runtimecode = hexAt(bytes, field)
  return bytes.length === 0 ? undefined : { smart_contract: {}, runtimecode }
}

/** Field numbers. `BlockList` and `TransactionInfoList` have one field. */
const LIST_ITEM = 1
const INFO = { id: 1, blockNumber: 3, blockTimeStamp: 4, receipt: 7, log: 8 }
const RECEIPT = { energyUsageTotal: 4 }
const LOG = { address: 1, topics: 2, data: 3 }
const BLOCK = { transactions: 1, header: 2 }
const CONTRACT = { runtimecode: 2 }
const TRANSACTION = { rawData: 1 }
const HEADER = { rawData: 1, signature: 2 }

/** A message and its hex. The hex of a field is a part of it, because converting each short field separately takes longer. */
type WithHex = { bytes: Buffer; hex: string }

const withHex = (bytes: Buffer): WithHex => ({ bytes, hex: bytes.toString('hex') })

function outcomeAt(message: WithHex, from: number, to: number): OutcomeLogs {
  let id = ''
  let blockNumber = 0
  let blockTimeStamp = 0
  let energy = 0
  const log: Log[] = []
  const field = fieldsOf(message.bytes, from, to)
  while (nextField(field))
    if (field.number === INFO.log) log.push(logAt(message, within(field), field.end))
    else if (field.number === INFO.id) id = partOf(message, field)
    else if (field.number === INFO.blockNumber) blockNumber = exact(field)
    else if (field.number === INFO.blockTimeStamp) blockTimeStamp = exact(field)
    else if (field.number === INFO.receipt)
      energy = energyAt(message.bytes, within(field), field.end)
  return {
    blockNumber,
    blockTimeStamp,
    id,
    ...(energy > 0 && { receipt: { energy_usage_total: energy } }),
    ...(log.length > 0 && { log }),
  }
}

function energyAt(bytes: Buffer, from: number, to: number): number {
  let energy = 0
  const field = fieldsOf(bytes, from, to)
  while (nextField(field)) if (field.number === RECEIPT.energyUsageTotal) energy = exact(field)
  return energy
}

function logAt(message: WithHex, from: number, to: number): Log {
  const log: Log = {}
  const topics: Hex[] = []
  const field = fieldsOf(message.bytes, from, to)
  while (nextField(field))
    if (field.number === LOG.topics) topics.push(partOf(message, field))
    else if (field.number === LOG.address) log.address = partOf(message, field)
    else if (field.number === LOG.data && field.end > field.start) log.data = partOf(message, field)
  if (topics.length > 0) log.topics = topics
  return log
}

function outlineAt(bytes: Buffer, from: number, to: number): BlockOutline {
  const txIDs: Hex[] = []
  let header: { blockID: Hex; block_header: BlockOutline['block_header'] } | undefined
  const field = fieldsOf(bytes, from, to)
  while (nextField(field))
    if (field.number === BLOCK.transactions)
      txIDs.push(transactionIdAt(bytes, within(field), field.end))
    else if (field.number === BLOCK.header) header = headerAt(bytes, within(field), field.end)
  if (!header) throw malformed()
  return { ...header, txIDs, size: to - from }
}

/** The id of a transaction: the hash of its content. Empty text without content, as in an answer over HTTP. */
function transactionIdAt(bytes: Buffer, from: number, to: number): Hex {
  let id = ''
  const field = fieldsOf(bytes, from, to)
  while (nextField(field))
    if (field.number === TRANSACTION.rawData) id = sha256(bytes.subarray(within(field), field.end))
  return id
}

/** A header with the id of its block: the hash of the header’s content, with the height in the first eight bytes. */
function headerAt(bytes: Buffer, from: number, to: number) {
  const block_header: BlockOutline['block_header'] = { raw_data: {} }
  let blockID = ''
  const field = fieldsOf(bytes, from, to)
  while (nextField(field)) {
    const { end, number, start } = field
    if (number === HEADER.signature && end > start)
      block_header.witness_signature = hexAt(bytes, field)
    if (number !== HEADER.rawData) continue
    block_header.raw_data = headerDataAt(bytes, within(field), end)
    const height = (block_header.raw_data.number ?? 0).toString(16).padStart(16, '0')
    blockID = height + sha256(bytes.subarray(start, end)).slice(16)
  }
  if (blockID === '') throw malformed()
  return { blockID, block_header }
}

function headerDataAt(bytes: Buffer, from: number, to: number) {
  const data: BlockOutline['block_header']['raw_data'] = {}
  const field = fieldsOf(bytes, from, to)
  while (nextField(field)) {
    const { end, number, start, value } = field
    const name = HEADER_FIELDS[number]
    // As over HTTP, zeros and empty bytes are omitted.
    if (name === undefined || (start === -1 ? value === 0 : start === end)) continue
    Object.assign(data, { [name]: HEADER_NUMBERS.has(name) ? exact(field) : hexAt(bytes, field) })
  }
  return data
}

const HEADER_FIELDS: Readonly<Record<number, string>> = {
  1: 'timestamp',
  2: 'txTrieRoot',
  3: 'parentHash',
  7: 'number',
  8: 'witness_id',
  9: 'witness_address',
  10: 'version',
  11: 'accountStateRoot',
}

const HEADER_NUMBERS = new Set(['timestamp', 'number', 'witness_id', 'version'])

function partOf({ hex }: WithHex, field: Fields): Hex {
  return hex.slice(2 * within(field), 2 * field.end)
}

function hexAt(bytes: Buffer, field: Fields): Hex {
  return bytes.toString('hex', within(field), field.end)
}

/** The start of a delimited field. @throws TypeError when the field is of another type. */
function within({ start }: Fields): number {
  if (start === -1) throw malformed()
  return start
}

/** An exact number. @throws TypeError for a number above 2^53, so that the caller reads it over HTTP */
function exact({ value }: Fields): number {
  if (!Number.isSafeInteger(value)) throw malformed()
  return value
}

const sha256 = (bytes: Uint8Array): Hex => hash('sha256', bytes, 'hex')
