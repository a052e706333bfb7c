import * as schemas from '../../codec/schemas.ts'
import { fromWire, isWire } from '../../lib/wire.ts'
import { defineMethod } from '../method.ts'
import { blockNumberOrTag } from '../params/params.ts'
import { eth_getBlockByNumber } from './eth_getBlockByNumber.ts'

/** Members of a block that are not in its header. */
const NOT_OF_HEADER = new Set(['size', 'transactions', 'uncles', 'withdrawals'])

export const erigon_getHeaderByNumber = defineMethod({
  params: [blockNumberOrTag],
  result: schemas.nullable({ type: 'object' }),
  summary: 'header of a block; the first call of Otterscan',
  async handler(context, [number]) {
    const answer: unknown = await eth_getBlockByNumber.handler(context, [number, false])
    const block = (isWire(answer) ? fromWire(answer) : answer) as object | null
    if (!block) return null
    return Object.fromEntries(
      Object.entries(block).filter(([name]) => !NOT_OF_HEADER.has(name)),
    ) as Record<string, unknown>
  },
})
