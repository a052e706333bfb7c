import { defineMethod, schemas } from '../method.ts'
import { ownUnit } from '../params/params.ts'
import { inspected, waitingLists, waitingOf } from './waiting.ts'

const list = waitingOf(schemas.text)

export const txpool_inspect = defineMethod({
  params: [ownUnit],
  result: schemas.object({ pending: list, queued: list }),
  summary: 'a summary line for each transaction in the mempool, by sender and nonce',
  fullOnly: true,
  async handler(context, [unit], call) {
    const { pending, queued } = await waitingLists(context, unit, call)
    return { pending: inspected(pending), queued: inspected(queued) }
  },
})
