import { defineMethod, schemas } from '../method.ts'
import { address, withUnit } from '../params/params.ts'
import { waitingLists } from './waiting.ts'

const list = { type: 'object', additionalProperties: { type: 'object' } }

export const txpool_contentFrom = defineMethod({
  params: [withUnit(address)],
  result: schemas.object({ pending: list, queued: list }),
  summary: 'the transactions of an account in the mempool, by nonce',
  fullOnly: true,
  async handler(context, [{ unit, value: from }], call) {
    const { pending, queued } = await waitingLists(context, unit, call)
    return { pending: pending[from] ?? {}, queued: queued[from] ?? {} }
  },
})
