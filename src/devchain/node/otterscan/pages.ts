import type { Unit } from '../../../codec/unit.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import { RpcError } from '../../../lib/errors.ts'
import type { Context } from '../../../rpc/context.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { type WholeBlock, wholeBlock } from '../../../rpc/methods/otterscanBlock.ts'
import { address, index, named } from '../../../rpc/params/params.ts'
import { withUnit } from '../../../rpc/params/withUnit.ts'
import type { ClientCall } from '../../../rpc/request.ts'
import type { DevChain } from '../../index.ts'
import { firstOwnBlock, type Found, searchPage } from './search.ts'

/** Maximum number of transactions of a page. Otterscan requests 25. */
const MAX_PAGE = 1_000

/** Otterscan's methods with pages: the transactions of an account. */
export function otterscanPages(dev: DevChain): Record<string, AnyMethod> {
  async function rows(found: readonly Found[], unit: Unit, context: Context, call: ClientCall) {
    const blocks = new Map<number, WholeBlock>()
    for (const { block } of found) {
      const { number } = block.header
      if (blocks.has(number)) continue
      const whole = await wholeBlock(number, unit, context, call)
      if (!whole) throw new RpcError(-32000, 'block not found')
      blocks.set(number, whole)
    }
    const whole = ({ block }: Found) => blocks.get(block.header.number) as WholeBlock
    return {
      txs: found.map((one) => whole(one).transactions[one.index]),
      receipts: found.map((one) => ({
        ...whole(one).receipts[one.index],
        timestamp: Number(whole(one).block.timestamp),
      })),
    }
  }

  const ots_searchTransactionsBefore = defineMethod({
    params: [withUnit(address), named('blockNumber', index), named('pageSize', index)],
    result: { type: 'object' },
    summary: 'transactions that concern an account below a block (0: all), newest first',
    async handler(context, [{ unit, value }, below, size], call) {
      const newest = context.chain.latest().number
      const from = below === 0 ? newest : Math.min(below - 1, newest)
      const page = {
        from,
        last: firstOwnBlock(dev),
        size: Math.min(size, MAX_PAGE),
        step: -1 as const,
      }
      const { found, isComplete } = searchPage(dev, toNativeAddress(value), page)
      return {
        ...(await rows(found, unit, context, call)),
        firstPage: below === 0,
        lastPage: isComplete,
      }
    },
  })

  const ots_searchTransactionsAfter = defineMethod({
    params: [withUnit(address), named('blockNumber', index), named('pageSize', index)],
    result: { type: 'object' },
    summary: 'transactions that concern an account above a block (0: all), newest first',
    async handler(context, [{ unit, value }, above, size], call) {
      const last = context.chain.latest().number
      const page = {
        from: Math.max(above + 1, firstOwnBlock(dev)),
        last,
        size: Math.min(size, MAX_PAGE),
        step: 1 as const,
      }
      const { found, isComplete } = searchPage(dev, toNativeAddress(value), page)
      return {
        ...(await rows(found.toReversed(), unit, context, call)),
        firstPage: isComplete,
        lastPage: above === 0,
      }
    },
  })

  return {
    ots_searchTransactionsAfter,
    ots_searchTransactionsBefore,
  }
}
