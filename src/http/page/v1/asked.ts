import type { Address } from 'viem'

import { parseAddress } from '../../../lib/address.ts'
import { blockAt } from '../reads/blockAt.ts'
import type { Source } from '../reads/source.ts'

/** A request for one path: the part of the path that names a thing, and the parameters with either of their two spellings. */
export type Asked = { id: string; param: (name: string) => string | undefined }

/** What one path answers. `next` is the fingerprint of the next page. */
export type Answered = {
  data: unknown[]
  next?: string | undefined
  /** The blocks that were searched, when the page ends before the chain does. */
  searched?: { from: number; to: number } | undefined
}

/** Answers one path. @throws AskedError, RpcError */
export type View = (asked: Asked, source: Source) => Promise<Answered>

/** A parameter that cannot be used. */
export class AskedError extends Error {
  override name = 'AskedError'
}

/** The part of a list that a request asks for. Times in milliseconds. */
export type Page = {
  from: number
  to: number
  solid: number
  isInTime: (time: number) => boolean
  isAscending: boolean
  after: string | undefined
  limit: number
}

/** Entries of one page. */
const LIMIT = 20
export const MOST = 200

/** Reads limit, order, times, confirmation and fingerprint. @throws AskedError */
export async function pageIn({ param }: Asked, source: Source): Promise<Page> {
  const [head, solid] = await Promise.all([source.head(), source.solid()])
  const number = (name: string) => {
    const text = param(name)
    return text === undefined ? undefined : whole(text, name)
  }
  const time = (name: string) => number(`${name}_block_timestamp`) ?? number(`${name}_timestamp`)
  const [min, max] = [time('min'), time('max')]
  const block = number('block_number')
  const seconds = (ms: number) => Math.floor(ms / 1_000)
  const lower = [
    block,
    isSet(param, 'only_unconfirmed') ? solid + 1 : 0,
    // A block of the same second can be before the time.
    min === undefined ? 0 : (await blockAt(seconds(min) - 1, source)) + 1,
  ]
  const upper = [
    block,
    isSet(param, 'only_confirmed') ? solid : head,
    max === undefined ? head : await blockAt(seconds(max), source),
  ]
  return {
    from: Math.max(...lower.filter((one) => one !== undefined)),
    to: Math.min(...upper.filter((one) => one !== undefined)),
    solid,
    isInTime: (time) => time >= (min ?? 0) && time <= (max ?? Infinity),
    isAscending: param('order_by')?.endsWith('timestamp,asc') === true,
    after: param('fingerprint'),
    limit: Math.max(1, Math.min(MOST, number('limit') ?? LIMIT)),
  }
}

/** Whether a parameter is `true`. */
export const isSet = (param: Asked['param'], name: string): boolean => param(name) === 'true'

/** @throws AskedError */
export function whole(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new AskedError(`invalid ${name}: ${text.slice(0, 40)}`)
  return Number(text)
}

/** Reads an address in any format. @throws AskedError */
export function addressIn(text: string): Address {
  const address = parseAddress(text)
  if (!address) throw new AskedError(`invalid address: ${text.slice(0, 64)}`)
  return address
}
