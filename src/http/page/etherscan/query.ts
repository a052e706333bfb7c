import type { Address, Hash, Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import { parseAddress } from '../../../lib/address.ts'
import type { Source } from '../reads/source.ts'

/** The parameters of one request, by name. Absent and empty are the same. */
export type Query = (name: string) => string | undefined

/** Answers one action. @throws ApiError, RpcError */
export type Action = (query: Query, source: Source) => unknown

/** The actions of one module, by their names on the wire. */
export type Actions = Readonly<Record<string, Action>>

/** A refusal in the words of the API. */
export class ApiError extends Error {
  override name = 'ApiError'
  /** The member `message`; `result` is the text of this error. */
  readonly title: string

  constructor(result: string, title = 'NOTOK') {
    super(result)
    this.title = title
  }
}

/** A list without entries, which the API reports as a failure with this title. */
export class EmptyError extends ApiError {
  override name = 'EmptyError'

  constructor(title: string) {
    super('', title)
  }
}

/** An address in any of its forms. @throws ApiError */
export function addressIn(query: Query, name = 'address'): Address {
  const address = parseAddress(query(name) ?? '')
  if (!address) throw new ApiError('Error! Invalid address format')
  return address
}

/** A hash. @throws ApiError */
export function hashIn(query: Query, name = 'txhash'): Hash {
  const text = query(name) ?? ''
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new ApiError('Error! Invalid transaction hash')
  return text.toLowerCase() as Hash
}

/** A whole number, decimal or hex. @throws ApiError */
export function numberIn(query: Query, name: string, missing: number): number {
  const text = query(name)
  if (text === undefined) return missing
  if (!/^(\d{1,15}|0x[0-9a-fA-F]{1,12})$/.test(text)) throw new ApiError(`Error! Invalid ${name}`)
  return Number(text)
}

/** A block: a number, or a tag as it is. @throws ApiError */
export function blockIn(query: Query, name = 'tag', missing = 'latest'): string {
  const text = query(name) ?? missing
  return /^[a-z]+$/.test(text) ? text : numberToHex(numberIn(query, name, 0))
}

/** The part of a list that a request asks for. */
export type Part = { skip: number; take: number }

/** Rows that `page` and `offset` may reach together. */
const MOST_ROWS = 10_000

/** Reads `page` and `offset` (rows a page). @param most - rows of one page @throws ApiError */
export function partIn(query: Query, most = MOST_ROWS): Part {
  const take = numberIn(query, 'offset', 0) || most
  const page = numberIn(query, 'page', 1) || 1
  if (page * take > MOST_ROWS || take > most)
    throw new ApiError(
      `Result window is too large, PageNo x Offset size must be less than or equal to ${Math.min(MOST_ROWS, most)}`,
    )
  return { skip: (page - 1) * take, take }
}

/** A number as this API writes it: decimal text. */
export const decimal = (hex: Hex | null | undefined): string => String(BigInt(hex ?? '0x0'))
