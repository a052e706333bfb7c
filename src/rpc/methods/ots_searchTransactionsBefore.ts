import { defineMethod } from '../method.ts'
import { address, index, named } from '../params/params.ts'
import { pageOf, transactionPage, wholeBlocks } from './otterscanHistory.ts'

export const ots_searchTransactionsBefore = defineMethod({
  params: [address, named('blockNumber', index), named('pageSize', index)],
  result: transactionPage,
  summary: 'transactions that concern an account below a block (0: all), newest first',
  async handler(context, [who, below, size], call) {
    const edge = below === 0 ? undefined : below
    const search = { edge, order: 'newest', size } as const
    const { isComplete, rows } = await wholeBlocks(
      'ots_searchTransactionsBefore',
      who,
      search,
      context,
      call,
    )
    return { ...pageOf(rows), firstPage: below === 0, lastPage: isComplete }
  },
})
