import { defineMethod } from '../method.ts'
import { address, index, named } from '../params/params.ts'
import { pageOf, transactionPage, wholeBlocks } from './otterscanHistory.ts'

export const ots_searchTransactionsAfter = defineMethod({
  params: [address, named('blockNumber', index), named('pageSize', index)],
  result: transactionPage,
  summary: 'transactions that concern an account above a block (0: all), newest first',
  async handler(context, [who, above, size], call) {
    const search = { edge: above, order: 'oldest', size } as const
    const { isComplete, rows } = await wholeBlocks(
      'ots_searchTransactionsAfter',
      who,
      search,
      context,
      call,
    )
    return { ...pageOf(rows.toReversed()), firstPage: isComplete, lastPage: above === 0 }
  },
})
