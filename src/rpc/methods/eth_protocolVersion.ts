import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const eth_protocolVersion = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'block version in the header of the newest block',
  async handler({ native }, _, call) {
    const block = await native.wallet.getBlock({ detail: false }, call)
    return numberToHex(block?.block_header.raw_data.version ?? 0)
  },
})
