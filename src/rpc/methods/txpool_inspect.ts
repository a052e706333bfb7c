import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { ownUnit } from '../params/withUnit.ts'
import { byNonce, inspected, waitingOf, waitingTransactions } from './waiting.ts'

const list = waitingOf(schemas.text)

export const txpool_inspect = defineMethod({
  params: [ownUnit],
  result: schemas.object({ pending: list, queued: list }),
  summary: 'a summary line for each transaction in the mempool, by sender and nonce',
  fullOnly: true,
  handler: async (context, [unit], call) => ({
    pending: inspected(byNonce(await waitingTransactions(context, unit, call))),
    queued: {},
  }),
})
