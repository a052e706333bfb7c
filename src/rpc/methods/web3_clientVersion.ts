import { defineMethod, schemas } from '../method.ts'

export const web3_clientVersion = defineMethod({
  params: [],
  result: schemas.text,
  summary:
    'name and version of the gateway, then of its node; of a development chain a name that begins with anvil, so that Hardhat’s network helpers accept it',
  handler: ({ execution }, _, call) => execution.clientVersion(call),
})
