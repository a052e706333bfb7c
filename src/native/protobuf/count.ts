import type { DescMessage } from '@bufbuild/protobuf'

import { contractSchema } from './contracts.ts'
import {
  Contract_ContractTypeSchema as ContractTypeSchema,
  ContractSchema,
  TransactionSchema,
} from './gen/transaction_pb.ts'

/** The parts of a serialised transaction. */
export type TransactionCounts = {
  contracts: number
  signatures: number
  /** Fields of all its messages, including its contract. Counting ends above the limit. */
  fields: number
}

/**
 * Counts the parts of a serialised transaction without decoding it. A decoder creates an object for each part, which takes
 * seconds for half a megabyte of empty messages.
 *
 * @param limit - number of fields above which counting ends
 * @throws TypeError when the bytes are not protobuf.
 */
export function countTransaction(bytes: Uint8Array, limit: number): TransactionCounts {
  const counts: TransactionCounts = { contracts: 0, signatures: 0, fields: 0 }

  function* fieldsOf({ start, end }: Range): Generator<Field> {
    for (let at = start; at < end && counts.fields <= limit;) {
      const field = readField(bytes, at, end)
      counts.fields += 1
      at = field.end
      yield field
    }
  }

  function walk(schema: DescMessage, range: Range): void {
    for (const field of fieldsOf(range)) {
      if (schema === TransactionSchema && field.number === SIGNATURE) counts.signatures += 1
      if (!field.isDelimited) continue
      const inner = schema.fields.find(({ number }) => number === field.number)?.message
      if (inner === ContractSchema) walkContract(field)
      else if (inner) walk(inner, field)
    }
  }

  /** The type of a contract determines the message of its parameter. In the bytes it may come after the parameter. */
  function walkContract(range: Range): void {
    counts.contracts += 1
    let type = 0
    const parameters: Range[] = []
    for (const field of fieldsOf(range))
      if (field.number === TYPE && !field.isDelimited) type = field.value
      else if (field.number === PARAMETER && field.isDelimited) parameters.push(field)
    const name = ContractTypeSchema.values.find(({ number }) => number === type)?.name
    const schema = contractSchema(name ?? '')
    for (const parameter of parameters)
      for (const field of fieldsOf(parameter))
        if (schema && field.number === VALUE && field.isDelimited) walk(schema, field)
  }

  walk(TransactionSchema, { start: 0, end: bytes.length })
  return counts
}

type Range = { start: number; end: number }

/** One field. `start` and `end` are those of its content. `value` is its number, or its length if it is delimited. */
type Field = Range & { number: number; isDelimited: boolean; value: number }

/** Field numbers. */
const SIGNATURE = 2
const TYPE = 1
const PARAMETER = 2
const VALUE = 2

/** Bytes of the content by wire type, for the types of fixed length. */
const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

function readField(bytes: Uint8Array, at: number, end: number): Field {
  const tag = readVarint(bytes, at, end)
  const [number, wireType] = [Math.floor(tag.value / 8), tag.value % 8]
  const fixed = FIXED[wireType]
  if (fixed === undefined && wireType !== 0 && wireType !== 2) throw malformed()
  const { next, value } = fixed ? { next: tag.next, value: 0 } : readVarint(bytes, tag.next, end)
  const field = {
    number,
    isDelimited: wireType === 2,
    value,
    start: next,
    end: next + (fixed ?? (wireType === 2 ? value : 0)),
  }
  if (field.end > end) throw malformed()
  return field
}

function readVarint(bytes: Uint8Array, start: number, end: number) {
  let value = 0
  for (let at = start, scale = 1; at < end && at < start + 10; at++, scale *= 128) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return { value, next: at + 1 }
  }
  throw malformed()
}

const malformed = () => new TypeError('transaction: not a Transaction message')
