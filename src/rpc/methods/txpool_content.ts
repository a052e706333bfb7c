import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { ownUnit } from '../params/withUnit.ts'
import { byNonce, waitingOf, waitingTransactions } from './waiting.ts'

const list = waitingOf({ type: 'object' })

export const txpool_content = defineMethod({
  params: [ownUnit],
  result: schemas.object({ pending: list, queued: list }),
  summary: 'the transactions in the mempool, by sender and nonce; `queued` is always empty',
  fullOnly: true,
  handler: async (context, [unit], call) => ({
    pending: byNonce(await waitingTransactions(context, unit, call)),
    queued: {},
  }),
})
