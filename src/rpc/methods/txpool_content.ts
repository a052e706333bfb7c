import { defineMethod, schemas } from '../method.ts'
import { ownUnit } from '../params/params.ts'
import { waitingLists, waitingOf } from './waiting.ts'

const list = waitingOf({ type: 'object' })

export const txpool_content = defineMethod({
  params: [ownUnit],
  result: schemas.object({ pending: list, queued: list }),
  summary:
    'the transactions in the mempool, by sender and nonce; `queued` are those after a nonce gap, which a node does not have',
  fullOnly: true,
  handler: (context, [unit], call) => waitingLists(context, unit, call),
})
