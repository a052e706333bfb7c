import { codeAt } from '../../chain/state/code.ts'
import * as schemas from '../../codec/schemas.ts'
import { defineMethod } from '../method.ts'
import { blockRef, contractAddress, optional } from '../params/params.ts'

export const eth_getCode = defineMethod({
  params: [contractAddress, optional(blockRef, 'latest')],
  result: schemas.bytes,
  summary: 'runtime code of a contract',
  handler: async ({ chain, native }, [account, ref], call) =>
    codeAt(account, { native, call, source: await chain.state(ref) }),
})
