import { numberToHex } from 'viem'

import { defineMethod } from '../jsonrpc/method.ts'
import { hash } from '../jsonrpc/params.ts'

export const eth_getBlockTransactionCountByHash = defineMethod({
  params: [hash],
  summary: 'how many transactions a block has',
  async handler({ chain, request }, [blockHash]) {
    const transactions = await chain.blockTransactions({ blockHash }, request.signal)
    return transactions ? numberToHex(transactions.length) : null
  },
})
