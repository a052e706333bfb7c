import { defineMethod, schemas } from '../method.ts'

export const net_listening = defineMethod({
  params: [],
  result: schemas.boolean,
  summary:
    'whether the node has an active peer; a development chain says so, as anvil and Hardhat do',
  handler: ({ execution }, _, call) => execution.isListening(call),
})
