import type { Hex } from 'viem'

import * as schemas from '../../codec/schemas.ts'
import { defineMethod, type Method } from '../method.ts'

/** A method whose answer never changes. */
function fixed<result>(result: result, summary: string): Method<[], result> {
  return defineMethod({
    params: [],
    result: typeof result === 'boolean' ? schemas.boolean : schemas.quantity,
    kind: 'fixed',
    summary,
    handler: () => result,
  })
}

export const eth_hashrate = fixed<Hex>('0x0', 'the chain has no mining: producers take turns')

export const eth_maxPriorityFeePerGas = fixed<Hex>('0x0', 'the chain has no tips')

export const eth_mining = fixed(false, 'the gateway cannot see whether its node produces blocks')
