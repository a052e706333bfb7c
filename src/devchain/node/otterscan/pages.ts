import { numberToHex } from 'viem/utils'

import { amountsIn, inUnit } from '../../../codec/amounts.ts'
import type { BlockRef } from '../../../codec/blockRef.ts'
import * as schemas from '../../../codec/schemas.ts'
import type { RpcBlock, RpcReceipt, RpcTransaction } from '../../../codec/types.ts'
import type { Unit } from '../../../codec/unit.ts'
import { toNativeAddress } from '../../../lib/address.ts'
import { RpcError } from '../../../lib/errors.ts'
import { fromWire } from '../../../lib/wire.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import type { eth_getBlockByNumber } from '../../../rpc/methods/eth_getBlockByNumber.ts'
import { address, blockNumberOrTag, hash, index, named } from '../../../rpc/params/params.ts'
import { withUnit } from '../../../rpc/params/withUnit.ts'
import type { DevChain } from '../../index.ts'
import { firstOwnBlock, type Found, searchPage } from './search.ts'

type Context = Parameters<typeof eth_getBlockByNumber.handler>[0]

/** A block with its transactions and receipts. Amounts are in the client's unit. */
type Whole = { block: RpcBlock; transactions: RpcTransaction[]; receipts: RpcReceipt[] }

/** Maximum number of transactions of a page. Otterscan requests 25. */
const MAX_PAGE = 1_000

const BLOCK = amountsIn(schemas.block) ?? {}
const RECEIPTS = amountsIn(schemas.listOf(schemas.receipt)) ?? {}

/** Otterscan's methods with pages: blocks, their transactions, and the transactions of an account. */
export function otterscanPages(dev: DevChain): Record<string, AnyMethod> {
  async function wholeBlock(
    ref: BlockRef,
    unit: Unit,
    { chain, request }: Context,
  ): Promise<Whole> {
    const wire = await chain.block(ref, true, request.signal)
    const receipts = await chain.receipts(ref, request.signal)
    if (!wire || !receipts) throw new RpcError(-32000, 'block not found')
    const block = inUnit(BLOCK, fromWire(wire), unit) as RpcBlock
    return {
      block,
      transactions: block.transactions as RpcTransaction[],
      receipts: inUnit(RECEIPTS, fromWire(receipts), unit) as RpcReceipt[],
    }
  }

  async function details(ref: BlockRef, unit: Unit, context: Context) {
    const { block, receipts } = await wholeBlock(ref, unit, context)
    const { transactions, ...header } = block
    const fees = receipts.reduce(
      (sum, { effectiveGasPrice, gasUsed }) => sum + BigInt(effectiveGasPrice) * BigInt(gasUsed),
      0n,
    )
    return {
      block: { ...header, transactionCount: transactions.length },
      // The block has no reward, because the chain pays its producers separately.
      issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
      totalFees: numberToHex(fees),
    }
  }

  const ots_getBlockDetails = defineMethod({
    params: [withUnit(blockNumberOrTag)],
    result: { type: 'object' },
    summary: 'a block without its transactions, with their number and fees',
    handler: (context, [{ unit, value }]) => details(value, unit, context),
  })

  const ots_getBlockDetailsByHash = defineMethod({
    params: [withUnit(named('blockHash', hash))],
    result: { type: 'object' },
    summary: 'a block without its transactions, with their number and fees',
    handler: (context, [{ unit, value }]) => details({ blockHash: value }, unit, context),
  })

  const ots_getBlockTransactions = defineMethod({
    params: [withUnit(blockNumberOrTag), named('page', index), named('pageSize', index)],
    result: { type: 'object' },
    summary: 'a page of the transactions of a block with their receipts; the last ones are page 0',
    async handler(context, [{ unit, value }, page, size]) {
      const { block, receipts, transactions } = await wholeBlock(value, unit, context)
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

  async function rows(found: readonly Found[], unit: Unit, context: Context) {
    const blocks = new Map<number, Whole>()
    for (const { block } of found) {
      const { number } = block.header
      if (!blocks.has(number)) blocks.set(number, await wholeBlock(number, unit, context))
    }
    const whole = ({ block }: Found) => blocks.get(block.header.number) as Whole
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
    async handler(context, [{ unit, value }, below, size]) {
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
        ...(await rows(found, unit, context)),
        firstPage: below === 0,
        lastPage: isComplete,
      }
    },
  })

  const ots_searchTransactionsAfter = defineMethod({
    params: [withUnit(address), named('blockNumber', index), named('pageSize', index)],
    result: { type: 'object' },
    summary: 'transactions that concern an account above a block (0: all), newest first',
    async handler(context, [{ unit, value }, above, size]) {
      const last = context.chain.latest().number
      const page = {
        from: Math.max(above + 1, firstOwnBlock(dev)),
        last,
        size: Math.min(size, MAX_PAGE),
        step: 1 as const,
      }
      const { found, isComplete } = searchPage(dev, toNativeAddress(value), page)
      return {
        ...(await rows(found.toReversed(), unit, context)),
        firstPage: isComplete,
        lastPage: above === 0,
      }
    },
  })

  return {
    ots_getBlockDetails,
    ots_getBlockDetailsByHash,
    ots_getBlockTransactions,
    ots_searchTransactionsAfter,
    ots_searchTransactionsBefore,
  }
}
