import { RpcError } from '../../lib/errors.ts'
import { defineMethod } from '../method.ts'
import { blockNumberOrTag, index, named, withUnit } from '../params/params.ts'
import { wholeBlock } from './otterscanBlock.ts'

export const ots_getBlockTransactions = defineMethod({
  params: [withUnit(blockNumberOrTag), named('page', index), named('pageSize', index)],
  result: { type: 'object' },
  summary: 'a page of the transactions of a block with their receipts; the last ones are page 0',
  async handler(context, [{ unit, value }, page, size], call) {
    const whole = await wholeBlock(value, unit, context, call)
    if (!whole) throw new RpcError(-32000, 'block not found')
    const { block, receipts, transactions } = whole
    const end = Math.max(0, transactions.length - page * size)
    const part = <item>(items: item[]) => items.slice(Math.max(0, end - size), end)
    return {
      fullblock: {
        ...block,
        transactionCount: transactions.length,
        // Otterscan shows only the selector.
        transactions: part(transactions).map(({ input, ...rest }) => ({
          ...rest,
          input: input.slice(0, 10),
        })),
      },
      receipts: part(receipts).map((receipt) => ({ ...receipt, logs: null, logsBloom: null })),
    }
  },
})
