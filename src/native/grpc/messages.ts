import { hash } from 'node:crypto'

import { contractSchemas } from '../protobuf/contracts.ts'
import { contentsOf, type Fields, fieldsOf, malformed, nextField } from '../protobuf/fields.ts'
import { TransactionInfoSchema } from '../protobuf/gen/answers_pb.ts'
import { Contract_ContractType } from '../protobuf/gen/transaction_pb.ts'
import { readerOf, type Source, sourceOf } from '../protobuf/reader.ts'
import type { BlockOutline, BlockParties } from '../wire/blockOutline.ts'
import { OTHERS, OWNERS, type Parties, partiesOf, TOKEN_VALUE } from '../wire/parties.ts'
import type { OutcomeLogs } from '../wire/transactionLogs.ts'
import type { Hex } from '../wire/types.ts'
import { headerAt } from './answers.ts'

/** The logs of one transaction, in the format of `gettransactioninfobyid`. Undefined for an empty message: no such transaction. */
export function readOutcome(bytes: Buffer): OutcomeLogs | undefined {
  return bytes.length === 0 ? undefined : outcomeAt(sourceOf(bytes), 0, bytes.length)
}

/** The logs of the transactions of a block, in the format of `gettransactioninfobyblocknum`. */
export function readOutcomes(bytes: Buffer): OutcomeLogs[] {
  const source = sourceOf(bytes)
  return contentsOf(bytes, LIST_ITEM).map(({ end, start }) => outcomeAt(source, start, end))
}

/** The outline of a block. Undefined for an empty message: no such block. */
export function readOutline(bytes: Buffer): BlockOutline | undefined {
  return bytes.length === 0 ? undefined : outlineAt(bytes, 0, bytes.length)
}

/** The outlines of a list of blocks. */
export function readOutlines(bytes: Buffer): BlockOutline[] {
  return contentsOf(bytes, LIST_ITEM).map(({ end, start }) => outlineAt(bytes, start, end))
}

/** The outlines of a list of blocks, with who each transaction names. */
export function readParties(bytes: Buffer): BlockParties[] {
  return contentsOf(bytes, LIST_ITEM).map(({ end, start }) => ({
    ...outlineAt(bytes, start, end),
    parties: contentsOf(bytes, BLOCK.transactions, start, end).map((transaction) =>
      partiesAt(bytes, transaction.start, transaction.end),
    ),
  }))
}

/** The id and the height of a transaction, without its outcome. Undefined for an empty message: no such transaction. */
export function readHeight(bytes: Buffer): Place | undefined {
  if (bytes.length === 0) return undefined
  return readPlace(sourceOf(bytes), 0, bytes.length, { blockNumber: 0, id: '' }) as Place
}

type Place = { id: Hex; blockNumber: number }

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
const CONTRACT_OF = { type: 1, parameter: 2 }
const PARAMETER = { value: 2 }
const RAW = { contract: 11 }
const BLOCK = { transactions: 1, header: 2 }
const CONTRACT = { runtimecode: 2 }
const TRANSACTION = { rawData: 1 }

/** Reads what callers use of an outcome, in half of the time of the whole. */
const readLogs = readerOf(TransactionInfoSchema, {
  blockNumber: true,
  blockTimeStamp: true,
  contract_address: true,
  id: true,
  internal_transactions: {
    caller_address: true,
    callValueInfo: { tokenId: true },
    note: true,
    rejected: true,
    transferTo_address: true,
  },
  log: true,
  receipt: { energy_usage_total: true },
  result: true,
})

/** Reads the height of a transaction, without its logs. */
const readPlace = readerOf(TransactionInfoSchema, { blockNumber: true, id: true })

function outcomeAt(source: Source, from: number, to: number): OutcomeLogs {
  return readLogs(source, from, to, { blockNumber: 0, blockTimeStamp: 0, id: '' }) as OutcomeLogs
}

function outlineAt(bytes: Buffer, from: number, to: number): BlockOutline {
  const [header] = contentsOf(bytes, BLOCK.header, from, to).slice(-1)
  if (!header) throw malformed()
  const { end, start } = header
  const txIDs = contentsOf(bytes, BLOCK.transactions, from, to).map((transaction) =>
    transactionIdAt(bytes, transaction.start, transaction.end),
  )
  const source = sourceOf(bytes.subarray(start, end))
  return { ...headerAt(source, 0, end - start), txIDs, size: to - from }
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
