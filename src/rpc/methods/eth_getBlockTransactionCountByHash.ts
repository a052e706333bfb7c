import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named } from '../params/params.ts'

export const eth_getBlockTransactionCountByHash = defineMethod({
  params: [named('blockHash', hash)],
  result: schemas.nullable(schemas.quantity),
  summary: 'number of transactions in a block',
  async handler({ chain }, [blockHash], call) {
    const count = await chain.transactionCount({ blockHash }, call)
    return count === undefined ? null : toQuantity(count)
  },
})
