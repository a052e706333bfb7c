import type { Hex, Transaction } from './types.ts'

/** Who a transaction names. Addresses are 20 bytes, hex without `0x`. */
export type Parties = {
  /** The type of its contract, such as `TransferContract`. */
  type: string
  /** Who sends it; empty text when it is hidden. */
  owner: Hex
  /** Receivers, and the contract that is called or changed. */
  others: readonly Hex[]
  /** Whether it moves a token of the chain itself. */
  hasTokens: boolean
}

/** The fields of contracts that name who sends. */
export const OWNERS: ReadonlySet<string> = new Set(['owner_address', 'transparent_from_address'])

/** The fields of contracts that name others. Votes and new permissions name accounts too, but move nothing. */
export const OTHERS: ReadonlySet<string> = new Set([
  'account_address',
  'contract_address',
  'receiver_address',
  'to_address',
  'transparent_to_address',
])

/** The field of a call that moves a token of the chain. */
export const TOKEN_VALUE = 'call_token_value'

/** Types that move a token of the chain. */
const TOKEN_TYPES = new Set(['ParticipateAssetIssueContract', 'TransferAssetContract'])

/** Makes the parties from the address fields of a contract, in any order. Bytes that are no address name nobody. */
export function partiesOf(
  type: string,
  fields: readonly (readonly [name: string, hex: Hex])[],
  hasTokenValue: boolean,
): Parties {
  let owner = ''
  const others: Hex[] = []
  for (const [name, hex] of fields) {
    if (hex.length !== 42 || !hex.startsWith('41')) continue
    if (OWNERS.has(name)) owner = hex.slice(2)
    else if (OTHERS.has(name)) others.push(hex.slice(2))
  }
  return { type, owner, others, hasTokens: hasTokenValue || TOKEN_TYPES.has(type) }
}

/** The parties of a contract, from the members of its value. */
export function partiesOfValue(type: string, value: Readonly<Record<string, unknown>>): Parties {
  const fields = Object.entries(value).filter((field): field is [string, Hex] => {
    return typeof field[1] === 'string'
  })
  return partiesOf(type, fields, Boolean(value[TOKEN_VALUE]))
}

/** The parties of a transaction in an answer that was parsed. */
export function partiesIn({ raw_data }: Transaction): Parties {
  const [contract] = raw_data.contract ?? []
  return partiesOfValue(contract?.type ?? NO_TYPE, contract?.parameter?.value ?? {})
}

/** The type that the node leaves out of its answers, because its number is 0. */
const NO_TYPE = 'AccountCreateContract'

// Texts of the node's JSON, as in `blockOutline.ts`.
const RAW = '"raw_data":'
const RAW_END = '"raw_data_hex":"'
const TYPE = '"},"type":"'
const FIELD = /"([a-z_]+_address)":"(41[0-9a-f]{40})"/g

/** The parties of a transaction in the text of an answer; undefined when its members have another order. @param text - from its id to the next id */
export function partiesInText(text: string): Parties | undefined {
  const start = text.indexOf(RAW)
  const end = text.indexOf(RAW_END, start)
  const at = text.lastIndexOf(TYPE, end)
  if (start === -1 || end === -1) return undefined
  const typeAt = at + TYPE.length
  const type = at < start ? NO_TYPE : text.slice(typeAt, text.indexOf('"', typeAt))
  const content = text.slice(start, end)
  const fields: [string, Hex][] = []
  // The contract that a deployment gives to the node may name addresses of its own.
  const isDeployment = type === 'CreateSmartContract'
  for (const [, name = '', hex = ''] of content.matchAll(FIELD))
    if (!isDeployment || OWNERS.has(name)) fields.push([name, hex])
  return partiesOf(type, fields, content.includes(`"${TOKEN_VALUE}":`))
}
