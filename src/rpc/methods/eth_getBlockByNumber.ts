import { defineMethod, schemas } from '../method.ts'
import { blockRef, boolean, optional, named } from '../params/params.ts'

export const eth_getBlockByNumber = defineMethod({
  params: [blockRef, named('fullTransactions', optional(boolean, false))],
  result: schemas.nullable(schemas.block),
  summary:
    'a block by number or tag, with transaction hashes or whole transactions; `pending` is the newest one, or on a development chain the next one with the pool',
  handler({ chain }, [ref, full], call) {
    const found = chain.block(ref, full, call)
    return found instanceof Promise ? found.then((block) => block ?? null) : found
  },
})
