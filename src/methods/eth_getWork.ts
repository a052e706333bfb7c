import { defineMethod } from '../jsonrpc/method.ts'

export const eth_getWork = defineMethod({
  params: [],
  summary: 'the newest block’s hash and two nulls, as the node answers: nobody mines here',
  handler: ({ chain }): [string, null, null] => [chain.latest().hash, null, null],
})
