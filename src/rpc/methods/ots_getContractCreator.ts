import { fromPrepared } from '../../lib/prepared.ts'
import { defineMethod, schemas } from '../method.ts'
import { address } from '../params/params.ts'
import { requireHistory, requireWhole } from './otterscanHistory.ts'

export const ots_getContractCreator = defineMethod({
  params: [address],
  result: schemas.nullable(schemas.object({ hash: schemas.hash, creator: schemas.address })),
  summary: 'the creator of a contract and its transaction; null for other accounts',
  async handler({ chain }, [who], call) {
    requireHistory('ots_getContractCreator', chain)
    const account = who.slice(2).toLowerCase()
    const query = { account, kinds: 0, list: 'created', limit: 1, order: 'newest' } as const
    const found = await chain.history(query, call)
    const [row] = found.rows
    if (!row) {
      requireWhole(found, 'newest', chain)
      return null
    }
    const creator = row.created.find(({ contract }) => contract === account)?.creator
    return { hash: fromPrepared(row.transaction).hash, creator: `0x${creator ?? ''}` }
  },
})
