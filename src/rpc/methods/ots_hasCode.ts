import { defineMethod, schemas } from '../method.ts'
import { address, blockRef, optional } from '../params/params.ts'
import { hasCode } from './otterscanHistory.ts'

export const ots_hasCode = defineMethod({
  params: [address, optional(blockRef, 'latest')],
  result: schemas.boolean,
  summary: 'whether an account has code; of an old block with the accounts of the log index',
  handler: (context, [account, ref], call) => hasCode(account, ref, context, call),
})
