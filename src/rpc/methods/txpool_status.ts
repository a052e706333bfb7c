import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const txpool_status = defineMethod({
  params: [],
  result: schemas.object({ pending: schemas.quantity, queued: schemas.quantity }),
  summary: 'number of transactions in the mempool',
  fullOnly: true,
  async handler({ execution }, _, call) {
    const { pending, queued } = await execution.waitingCounts(call)
    return { pending: toQuantity(pending), queued: toQuantity(queued) }
  },
})
