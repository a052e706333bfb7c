import type { DescMessage } from '@bufbuild/protobuf'

import { contractSchema } from '../../native/protobuf/contracts.ts'
import { ContractSchema, RawDataSchema } from '../../native/protobuf/gen/transaction_pb.ts'
import type { Contract, Transaction } from '../../native/wire/types.ts'

type Json = Record<string, unknown>

/**
 * The content of a transaction as a node reads it: without members that the messages do not have, and with capitalised
 * enum names, which compilers write in lower case in an ABI.
 */
export function readableContent(raw: Transaction['raw_data']): Transaction['raw_data'] {
  const contract = (raw.contract ?? []).map((item): Contract => {
    const schema = contractSchema(item.type ?? '')
    const value = item.parameter?.value ?? {}
    return {
      ...known(ContractSchema, item),
      parameter: { ...item.parameter, value: schema ? known(schema, value) : value },
    }
  })
  return { ...known(RawDataSchema, raw), contract }
}

function known(desc: DescMessage, json: object): Json {
  const result: Json = {}
  for (const field of desc.fields) {
    const value = (json as Json)[field.name]
    if (value === undefined || value === null) continue
    const read = (item: unknown): unknown => {
      if (field.message && typeof item === 'object' && item !== null)
        return known(field.message, item)
      if (field.enum && typeof item === 'string' && /^[a-z]+$/.test(item))
        return item.charAt(0).toUpperCase() + item.slice(1)
      return item
    }
    result[field.name] = Array.isArray(value) ? value.map(read) : read(value)
  }
  return result
}
