import { hashTypedData, type TypedData } from '../../codec/typedData.ts'
import { InvalidParamsError } from '../../lib/errors.ts'
import { isObject } from '../../lib/isObject.ts'
import { managedAccount } from '../../sending/managed.ts'
import { defineMethod, schemas } from '../method.ts'
import { address, type Param, show } from '../params/params.ts'

/** Characters of JSON text. */
const MAX_TEXT = 1024 * 1024

/** EIP-712 data, as an object or as its JSON text. */
const typedData: Param<TypedData> = (input) => {
  const data = typeof input === 'string' ? parse(input) : input
  if (isObject(data) && isObject(data['types']) && typeof data['primaryType'] === 'string')
    return {
      types: data['types'],
      primaryType: data['primaryType'],
      domain: data['domain'] ?? {},
      message: data['message'],
    }
  throw new Error(`expected typed data with types, primaryType and message, got ${show(input)}`)
}
typedData.doc = {
  name: 'typedData',
  schema: { anyOf: [{ type: 'object', required: ['types', 'primaryType'] }, schemas.text] },
}

export const eth_signTypedData_v4 = defineMethod({
  params: [address, typedData],
  result: schemas.bytes,
  summary: 'signs typed data with a managed account, as on Ethereum (EIP-712)',
  async handler({ sending }, [account, data], call) {
    const signer = managedAccount('eth_signTypedData_v4', account, { call, sending })
    return signer.sign({ hash: hashOf(data) })
  },
})

function hashOf(data: TypedData) {
  try {
    return hashTypedData(data)
  } catch (cause) {
    throw new InvalidParamsError(
      1,
      `the typed data does not match its types: ${(cause as Error).message}`,
    )
  }
}

function parse(json: string): unknown {
  if (json.length > MAX_TEXT) return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
