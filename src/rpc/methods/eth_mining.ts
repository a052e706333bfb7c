import { defineMethod, schemas } from '../method.ts'

export const eth_mining = defineMethod({
  params: [],
  result: schemas.boolean,
  summary:
    'whether each transaction of a development chain is mined at once; false for a node, which does not show it',
  handler: ({ execution }) => execution.isMining(),
})
