import { defineMethod, schemas } from '../method.ts'
import { hash } from '../params/params.ts'
import { headerOrNull } from './header.ts'

export const eth_getHeaderByHash = defineMethod({
  params: [hash],
  result: schemas.nullable(schemas.header),
  summary: 'header of a block by hash',
  handler: async ({ chain }, [blockHash], call) =>
    headerOrNull(await chain.block({ blockHash }, false, call)),
})
