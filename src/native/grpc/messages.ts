import { hash } from 'node:crypto'

import { contractSchemas } from '../protobuf/contracts.ts'
import { type Fields, fieldsOf, malformed, nextField } from '../protobuf/fields.ts'
import { Contract_ContractType } from '../protobuf/gen/transaction_pb.ts'
import type { BlockOutline, BlockParties } from '../wire/blockOutline.ts'
import { OTHERS, OWNERS, type Parties, partiesOf, TOKEN_VALUE } from '../wire/parties.ts'
import type { OutcomeLogs } from '../wire/transactionLogs.ts'
import type { Hex, InternalTransaction, Log } from '../wire/types.ts'

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

/** The outlines of a list of blocks, with who each transaction names. */
export function readParties(bytes: Buffer): BlockParties[] {
  const blocks: BlockParties[] = []
  const field = fieldsOf(bytes, 0, bytes.length)
  while (nextField(field)) {
    if (field.number !== LIST_ITEM) continue
    const parties: Parties[] = []
    const inner = fieldsOf(bytes, within(field), field.end)
    while (nextField(inner))
      if (inner.number === BLOCK.transactions)
        parties.push(partiesAt(bytes, within(inner), inner.end))
    blocks.push({ ...outlineAt(bytes, within(field), field.end), parties })
  }
  return blocks
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
const INFO = {
  id: 1,
  blockNumber: 3,
  blockTimeStamp: 4,
  contractAddress: 6,
  receipt: 7,
  log: 8,
  result: 9,
  internal: 17,
}
const INTERNAL = { caller: 2, receiver: 3, value: 4, note: 5, rejected: 6 }
const VALUE = { tokenId: 2 }
const CONTRACT_OF = { type: 1, parameter: 2 }
const PARAMETER = { value: 2 }
const RAW = { contract: 11 }
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
  let contract = ''
  let hasFailed = false
  const log: Log[] = []
  const internal: InternalTransaction[] = []
  const field = fieldsOf(message.bytes, from, to)
  while (nextField(field))
    if (field.number === INFO.log) log.push(logAt(message, within(field), field.end))
    else if (field.number === INFO.id) id = partOf(message, field)
    else if (field.number === INFO.blockNumber) blockNumber = exact(field)
    else if (field.number === INFO.blockTimeStamp) blockTimeStamp = exact(field)
    else if (field.number === INFO.receipt)
      energy = energyAt(message.bytes, within(field), field.end)
    else if (field.number === INFO.contractAddress) contract = partOf(message, field)
    else if (field.number === INFO.result) hasFailed = field.value === 1
    else if (field.number === INFO.internal)
      internal.push(internalAt(message, within(field), field.end))
  return {
    blockNumber,
    blockTimeStamp,
    id,
    ...(energy > 0 && { receipt: { energy_usage_total: energy } }),
    ...(log.length > 0 && { log }),
    ...(contract !== '' && { contract_address: contract }),
    ...(hasFailed && { result: 'FAILED' }),
    ...(internal.length > 0 && { internal_transactions: internal }),
  }
}

/** The accounts of an inner call, its note, whether it failed, and whether it moves tokens of the chain. */
function internalAt(message: WithHex, from: number, to: number): InternalTransaction {
  const internal: InternalTransaction = {}
  const tokens: { tokenId: string }[] = []
  const field = fieldsOf(message.bytes, from, to)
  while (nextField(field))
    if (field.number === INTERNAL.caller) internal.caller_address = partOf(message, field)
    else if (field.number === INTERNAL.receiver)
      internal.transferTo_address = partOf(message, field)
    else if (field.number === INTERNAL.note) internal.note = partOf(message, field)
    else if (field.number === INTERNAL.rejected) internal.rejected = field.value === 1
    else if (field.number === INTERNAL.value) {
      const value = fieldsOf(message.bytes, within(field), field.end)
      while (nextField(value))
        if (value.number === VALUE.tokenId)
          tokens.push({ tokenId: message.bytes.toString('utf8', within(value), value.end) })
    }
  if (tokens.length > 0) internal.callValueInfo = tokens
  return internal
}

/** The energy in the receipt of an outcome. */
export function energyAt(bytes: Buffer, from: number, to: number): number {
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

/** Who a transaction names. The node accepts a transaction with one contract only. */
function partiesAt(bytes: Buffer, from: number, to: number): Parties {
  const raw = inside(bytes, fieldsOf(bytes, from, to), TRANSACTION.rawData)
  const contract = inside(bytes, raw, RAW.contract)
  let type = 0
  let value = fieldsOf(bytes, 0, 0)
  while (nextField(contract))
    if (contract.number === CONTRACT_OF.type) type = exact(contract)
    else if (contract.number === CONTRACT_OF.parameter)
      value = inside(bytes, fieldsOf(bytes, within(contract), contract.end), PARAMETER.value)
  const { fields: names, name } = typeOf(type)
  const fields: [string, Hex][] = []
  let hasTokenValue = false
  while (nextField(value)) {
    const own = names[value.number]
    if (own === TOKEN_VALUE) hasTokenValue = value.value !== 0
    else if (own !== undefined) fields.push([own, hexAt(bytes, value)])
  }
  return partiesOf(name, fields, hasTokenValue)
}

/** The fields inside the first field with a number; none when there is none. */
function inside(bytes: Buffer, fields: Fields, number: number): Fields {
  while (nextField(fields))
    if (fields.number === number) return fieldsOf(bytes, within(fields), fields.end)
  return fieldsOf(bytes, 0, 0)
}

/** Types by their numbers, with the names of the fields that matter by their numbers. */
const types = new Map<number, { name: string; fields: Record<number, string> }>()

function typeOf(number: number): { name: string; fields: Record<number, string> } {
  if (types.size === 0)
    for (const [name, { fields }] of Object.entries(contractSchemas)) {
      const wanted = fields.filter(
        (field) => OWNERS.has(field.name) || OTHERS.has(field.name) || field.name === TOKEN_VALUE,
      )
      types.set(Contract_ContractType[name as keyof typeof Contract_ContractType], {
        name,
        fields: Object.fromEntries(wanted.map((field) => [field.number, field.name])),
      })
    }
  return types.get(number) ?? { name: String(number), fields: {} }
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
