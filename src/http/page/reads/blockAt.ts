import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import { UpstreamError } from '../../../lib/errors.ts'
import type { Source } from './source.ts'

/** The members of a header that searches read. */
type Header = { hash: Hex; timestamp: Hex }

/** A block without its transactions. @throws UpstreamError when it cannot be read */
export async function headerAt(number: number, source: Source): Promise<Header> {
  const found = await source.ask<Header | null>('eth_getBlockByNumber', numberToHex(number), false)
  if (!found) throw new UpstreamError(`block ${number} cannot be read`)
  return found
}

/** The last block that is not after a time in seconds, by halving; -1 when all are. */
export async function blockAt(time: number, source: Source): Promise<number> {
  let [low, high] = [-1, await source.head()]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (Number((await headerAt(middle, source)).timestamp) <= time) low = middle
    else high = middle - 1
  }
  return low
}
