import { toQuantity } from '../../codec/quantity.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'

export const txpool_status = defineMethod({
  params: [],
  result: schemas.object({ pending: schemas.quantity, queued: schemas.quantity }),
  summary: 'number of transactions in the mempool',
  fullOnly: true,
  async handler({ native }, _, call) {
    const { pendingSize } = await native.wallet.getPendingSize(undefined, call)
    return { pending: toQuantity(pendingSize), queued: '0x0' }
  },
})
