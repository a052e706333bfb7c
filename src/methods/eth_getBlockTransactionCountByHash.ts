import { numberToHex } from 'viem/utils'

import { defineMethod } from '../jsonrpc/method.ts'
import { hash } from '../jsonrpc/params.ts'

export const eth_getBlockTransactionCountByHash = defineMethod({
  params: [hash],
  summary: 'how many transactions a block has',
  async handler({ chain, request }, [blockHash]) {
    const count = await chain.transactionCount({ blockHash }, request.signal)
    return count === undefined ? null : numberToHex(count)
  },
})
