import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const txpool_status = defineMethod({
  params: [],
  result: schemas.object({ pending: schemas.quantity, queued: schemas.quantity }),
  summary: 'number of transactions in the mempool',
  fullOnly: true,
  async handler({ execution }, _, call) {
    const { pending, queued } = await execution.waitingCounts(call)
    return { pending: numberToHex(pending), queued: numberToHex(queued) }
  },
})
