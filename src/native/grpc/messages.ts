import { hash } from 'node:crypto'

import type { BlockOutline } from '../blockOutline.ts'
import type { OutcomeLogs } from '../transactionLogs.ts'
import type { Hex, Log } from '../types.ts'
import { eachField, malformed } from './wire.ts'

/** The logs of one transaction, in the format of `gettransactioninfobyid`. Undefined for an empty message: no such transaction. */
export function readOutcome(bytes: Buffer): OutcomeLogs | undefined {
  return bytes.length === 0 ? undefined : outcomeAt(withHex(bytes), 0, bytes.length)
}

/** The logs of the transactions of a block, in the format of `gettransactioninfobyblocknum`. */
export function readOutcomes(bytes: Buffer): OutcomeLogs[] {
  const message = withHex(bytes)
  const outcomes: OutcomeLogs[] = []
  eachField(bytes, 0, bytes.length, (number, start, end) => {
    if (number === LIST_ITEM) outcomes.push(outcomeAt(message, within(start), end))
  })
  return outcomes
}

/** The outline of a block. Undefined for an empty message: no such block. */
export function readOutline(bytes: Buffer): BlockOutline | undefined {
  return bytes.length === 0 ? undefined : outlineAt(bytes, 0, bytes.length)
}

/** The outlines of a list of blocks. */
export function readOutlines(bytes: Buffer): BlockOutline[] {
  const outlines: BlockOutline[] = []
  eachField(bytes, 0, bytes.length, (number, start, end) => {
    if (number === LIST_ITEM) outlines.push(outlineAt(bytes, within(start), end))
  })
  return outlines
}

/** Field numbers. `BlockList` and `TransactionInfoList` have one field. */
const LIST_ITEM = 1
const INFO = { id: 1, blockNumber: 3, blockTimeStamp: 4, receipt: 7, log: 8 }
const RECEIPT = { energyUsageTotal: 4 }
const LOG = { address: 1, topics: 2, data: 3 }
const BLOCK = { transactions: 1, header: 2 }
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
  eachField(message.bytes, from, to, (number, start, end, value) => {
    if (number === INFO.log) log.push(logAt(message, within(start), end))
    else if (number === INFO.id) id = partOf(message, start, end)
    else if (number === INFO.blockNumber) blockNumber = exact(value)
    else if (number === INFO.blockTimeStamp) blockTimeStamp = exact(value)
    else if (number === INFO.receipt) energy = energyAt(message.bytes, within(start), end)
  })
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
  eachField(bytes, from, to, (number, _start, _end, value) => {
    if (number === RECEIPT.energyUsageTotal) energy = exact(value)
  })
  return energy
}

function logAt(message: WithHex, from: number, to: number): Log {
  const log: Log = {}
  const topics: Hex[] = []
  eachField(message.bytes, from, to, (number, start, end) => {
    if (number === LOG.topics) topics.push(partOf(message, start, end))
    else if (number === LOG.address) log.address = partOf(message, start, end)
    else if (number === LOG.data && end > start) log.data = partOf(message, start, end)
  })
  if (topics.length > 0) log.topics = topics
  return log
}

function outlineAt(bytes: Buffer, from: number, to: number): BlockOutline {
  const txIDs: Hex[] = []
  let header: { blockID: Hex; block_header: BlockOutline['block_header'] } | undefined
  eachField(bytes, from, to, (number, start, end) => {
    if (number === BLOCK.transactions) txIDs.push(transactionIdAt(bytes, within(start), end))
    else if (number === BLOCK.header) header = headerAt(bytes, within(start), end)
  })
  if (!header) throw malformed()
  return { ...header, txIDs, size: to - from }
}

/** The id of a transaction: the hash of its content. Empty text without content, as in an answer over HTTP. */
function transactionIdAt(bytes: Buffer, from: number, to: number): Hex {
  let id = ''
  eachField(bytes, from, to, (number, start, end) => {
    if (number === TRANSACTION.rawData) id = sha256(bytes.subarray(within(start), end))
  })
  return id
}

/** A header with the id of its block: the hash of the header’s content, with the height in the first eight bytes. */
function headerAt(bytes: Buffer, from: number, to: number) {
  const block_header: BlockOutline['block_header'] = { raw_data: {} }
  let blockID = ''
  eachField(bytes, from, to, (number, start, end) => {
    if (number === HEADER.signature && end > start)
      block_header.witness_signature = hexAt(bytes, start, end)
    if (number !== HEADER.rawData) return
    block_header.raw_data = headerDataAt(bytes, within(start), end)
    const height = (block_header.raw_data.number ?? 0).toString(16).padStart(16, '0')
    blockID = height + sha256(bytes.subarray(start, end)).slice(16)
  })
  if (blockID === '') throw malformed()
  return { blockID, block_header }
}

function headerDataAt(bytes: Buffer, from: number, to: number) {
  const data: BlockOutline['block_header']['raw_data'] = {}
  eachField(bytes, from, to, (number, start, end, value) => {
    const name = HEADER_FIELDS[number]
    // As over HTTP, zeros and empty bytes are omitted.
    if (name === undefined || (start === -1 ? value === 0 : start === end)) return
    Object.assign(data, {
      [name]: HEADER_NUMBERS.has(name) ? exact(value, start) : hexAt(bytes, start, end),
    })
  })
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

function partOf({ hex }: WithHex, start: number, end: number): Hex {
  return hex.slice(2 * within(start), 2 * end)
}

function hexAt(bytes: Buffer, start: number, end: number): Hex {
  return bytes.toString('hex', within(start), end)
}

/** The start of a delimited field. @throws TypeError when the field is of another type. */
function within(start: number): number {
  if (start === -1) throw malformed()
  return start
}

/** An exact number. @throws TypeError for a number above 2^53, so that the caller reads it over HTTP */
function exact(value: number, start = -1): number {
  if (start !== -1 || !Number.isSafeInteger(value)) throw malformed()
  return value
}

const sha256 = (bytes: Uint8Array): Hex => hash('sha256', bytes, 'hex')
