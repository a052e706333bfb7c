import * as schemas from '../codec/schemas.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { ownUnit } from '../jsonrpc/withUnit.ts'
import { byNonce, inspected, waitingOf, waitingTransactions } from './waiting.ts'

const list = waitingOf(schemas.text)

export const txpool_inspect = defineMethod({
  params: [ownUnit],
  result: schemas.object({ pending: list, queued: list }),
  summary: 'a line for each transaction that waits in the node’s pool, by sender and nonce',
  fullOnly: true,
  handler: async (context, [unit]) => ({
    pending: inspected(byNonce(await waitingTransactions(context, unit))),
    queued: {},
  }),
})
