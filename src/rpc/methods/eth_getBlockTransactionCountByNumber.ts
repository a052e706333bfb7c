import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'
import { blockRef } from '../params/params.ts'

export const eth_getBlockTransactionCountByNumber = defineMethod({
  params: [blockRef],
  result: schemas.nullable(schemas.quantity),
  summary: 'number of transactions in a block',
  async handler({ chain }, [ref], call) {
    const count = await chain.transactionCount(ref, call)
    return count === undefined ? null : toQuantity(count)
  },
})
