import { RpcError } from '../errors.ts'
import { defineMethod } from '../jsonrpc/method.ts'

export const eth_coinbase = defineMethod({
  params: [],
  kind: 'fixed',
  summary:
    'an error, as the node without a producer answers: its HTTP API does not tell who produces',
  handler: (): never => {
    throw new RpcError(-32000, 'etherbase must be explicitly specified')
  },
})
