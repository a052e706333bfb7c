import type { TypedDataDefinition } from 'viem'

import * as schemas from '../codec/schemas.ts'
import { InvalidParamsError } from '../errors.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { address, isObject, type Param, show } from '../jsonrpc/params.ts'
import { managedAccount } from '../sending/managed.ts'

/** EIP-712 data, as an object or as its JSON text. */
const typedData: Param<TypedDataDefinition> = (input) => {
  const data = typeof input === 'string' ? parse(input) : input
  if (isObject(data) && isObject(data['types']) && typeof data['primaryType'] === 'string')
    return data as unknown as TypedDataDefinition
  throw new Error(`expected typed data with types, primaryType and message, got ${show(input)}`)
}
typedData.doc = {
  name: 'typedData',
  schema: { anyOf: [{ type: 'object', required: ['types', 'primaryType'] }, schemas.text] },
}

export const eth_signTypedData_v4 = defineMethod({
  params: [address, typedData],
  result: schemas.bytes,
  summary: 'signs typed data as Ethereum does (EIP-712), for a managed account',
  async handler({ sending }, [account, data]) {
    const signer = managedAccount('eth_signTypedData_v4', account, { sending })
    return signer.signTypedData(data).catch((cause: unknown) => {
      throw new InvalidParamsError(1, `the typed data does not fit its types: ${firstLine(cause)}`)
    })
  },
})

const firstLine = (error: unknown) => (error as Error).message.split('\n')[0] ?? ''

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
