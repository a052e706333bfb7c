import { defineMethod, schemas } from '../method.ts'
import { blockNumberOrTag } from '../params/params.ts'
import { headerOrNull } from './header.ts'

export const eth_getHeaderByNumber = defineMethod({
  params: [blockNumberOrTag],
  result: schemas.nullable(schemas.header),
  summary: 'header of a block by number or tag',
  handler: async ({ chain }, [number], call) =>
    headerOrNull(await chain.block(number, false, call)),
})
