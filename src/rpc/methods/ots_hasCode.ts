import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { address, blockRef, optional } from '../params/params.ts'

export const ots_hasCode = defineMethod({
  params: [address, optional(blockRef, 'latest')],
  result: schemas.boolean,
  summary: 'whether an account has code',
  handler: async ({ execution }, [account, ref], call) =>
    (await execution.code(account, ref, call)) !== '0x',
})
