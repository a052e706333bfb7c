import type { DescMessage } from '@bufbuild/protobuf'

import { contractSchema } from './contracts.ts'
import { type Fields, fieldsOf, nextField } from './fields.ts'
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

  /** Moves to the next field and counts it. False after the last one, and above the limit. */
  function next(field: Fields): boolean {
    if (counts.fields > limit || !nextField(field)) return false
    counts.fields += 1
    return true
  }

  function walk(schema: DescMessage, from: number, to: number): void {
    const field = fieldsOf(bytes, from, to)
    while (next(field)) {
      const { end, number, start } = field
      if (schema === TransactionSchema && number === SIGNATURE) counts.signatures += 1
      if (start === -1) continue
      const inner = schema.fields.find((known) => known.number === number)?.message
      if (inner === ContractSchema) walkContract(start, end)
      else if (inner) walk(inner, start, end)
    }
  }

  /** The type of a contract determines the message of its parameter. In the bytes it may come after the parameter. */
  function walkContract(from: number, to: number): void {
    counts.contracts += 1
    let type = 0
    const parameters: { start: number; end: number }[] = []
    const field = fieldsOf(bytes, from, to)
    while (next(field)) {
      const { end, number, start, value } = field
      if (number === TYPE && start === -1) type = value
      else if (number === PARAMETER && start !== -1) parameters.push({ start, end })
    }
    const name = ContractTypeSchema.values.find(({ number }) => number === type)?.name
    const schema = contractSchema(name ?? '')
    for (const parameter of parameters) walkParameter(schema, parameter.start, parameter.end)
  }

  function walkParameter(schema: DescMessage | undefined, from: number, to: number): void {
    const field = fieldsOf(bytes, from, to)
    while (next(field))
      if (schema && field.number === VALUE && field.start !== -1)
        walk(schema, field.start, field.end)
  }

  walk(TransactionSchema, 0, bytes.length)
  return counts
}

/** Field numbers. */
const SIGNATURE = 2
const TYPE = 1
const PARAMETER = 2
const VALUE = 2
