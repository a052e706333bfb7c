import { RpcError } from '../../lib/errors.ts'
import { defineMethod } from '../method.ts'

export const eth_coinbase = defineMethod({
  params: [],
  kind: 'fixed',
  summary:
    'an error, as from a node that does not produce blocks, because the node’s HTTP API does not show the producer',
  handler: (): never => {
    throw new RpcError(-32000, 'etherbase must be explicitly specified')
  },
})
