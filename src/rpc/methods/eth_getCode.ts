import { defineMethod, schemas } from '../method.ts'
import { blockRef, contractAddress, optional } from '../params/params.ts'

export const eth_getCode = defineMethod({
  params: [contractAddress, optional(blockRef, 'latest')],
  result: schemas.bytes,
  summary: 'runtime code of a contract',
  handler: ({ execution }, [account, ref], call) => execution.code(account, ref, call),
})
