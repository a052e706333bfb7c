import type { PricedBlock } from '../../chain/blocks/energyPrices.ts'
import { toQuantity } from '../../codec/quantity.ts'
import type { RpcBlock } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import { fromPrepared, type Prepared } from '../../lib/prepared.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { together } from '../../lib/together.ts'
import type { FeeHistory } from '../execution/execution.ts'
import { defineMethod, schemas } from '../method.ts'
import { blockNumberOrTag, named, optional, type Param, quantity, show } from '../params/params.ts'

/** Maximum number of blocks. Each costs up to two upstream reads. Ethereum allows a node to return fewer than requested. */
const MAX_BLOCKS = 256
const CONCURRENCY = 8

/** A quantity, or decimal text, which geth accepts here. */
const blockCount: Param<bigint> = (input) =>
  typeof input === 'string' && /^[0-9]+$/.test(input) ? BigInt(input) : quantity(input)
blockCount.doc = { name: 'quantity', schema: schemas.quantity }

/** The limit of geth. */
const MAX_PERCENTILES = 100

/** The percentiles of `eth_feeHistory`: ascending numbers from 0 to 100. */
const rewardPercentiles: Param<number[]> = (input) => {
  if (!Array.isArray(input)) throw new Error(`expected an array of numbers, got ${show(input)}`)
  if (input.length > MAX_PERCENTILES) throw new Error(`more than ${MAX_PERCENTILES} percentiles`)
  input.forEach((value: unknown, index) => {
    const previous = index === 0 ? 0 : Number(input[index - 1])
    if (typeof value !== 'number' || !(value >= previous && value <= 100))
      throw new Error(`expected ascending numbers from 0 to 100, got ${show(input)}`)
  })
  return input as number[]
}
rewardPercentiles.doc = {
  name: 'rewardPercentiles',
  schema: {
    type: 'array',
    maxItems: MAX_PERCENTILES,
    items: { type: 'number', minimum: 0, maximum: 100 },
  },
}

export const eth_feeHistory = defineMethod({
  params: [
    named('blockCount', blockCount),
    optional(blockNumberOrTag, 'latest'),
    optional(rewardPercentiles, []),
  ],
  result: schemas.feeHistory,
  summary:
    'gas used ratio and base fee (the energy price) of blocks; tips are zero, but on a development chain',
  async handler({ chain, execution }, [count, newestRef, percentiles], call): Promise<FeeHistory> {
    const newest = await chain.resolve(newestRef, call)
    if (!newest)
      throw new RpcError(
        -32000,
        `request beyond head block: requested ${newestRef}, head ${chain.latest().number}`,
      )
    const length = Math.min(count > MAX_BLOCKS ? MAX_BLOCKS : Number(count), newest.number + 1)
    const oldest = newest.number - length + 1
    // One block more than requested, if there is one: a history ends with the price of the next block.
    const read = length && newest.number < chain.latest().number ? length + 1 : length
    const blocks = await mapBounded(call, read, async (offset, call) => {
      const prepared = await chain.block(oldest + offset, false, call)
      if (!prepared) throw new RpcError(-32000, `block ${oldest + offset} is not available`)
      if (timeSlice.isOver()) await timeSlice.next(call)
      const { priced, ratio } = usageOf(prepared)
      return { price: toQuantity(await chain.energyPrice(priced)), ratio }
    })
    const prices = blocks.map(({ price }) => price)
    // The price after the newest block is the current one.
    if (length && read === length) prices.push(toQuantity(await chain.energyPrice()))
    const requested = blocks.slice(0, length)
    const history = {
      oldestBlock: toQuantity(length ? oldest : 0),
      // Every sender pays the energy price and it is burned, like a base fee. Wallets that use only this history then offer
      // exactly eth_gasPrice.
      baseFeePerGas: prices,
      gasUsedRatio: requested.map(({ ratio }) => ratio),
    }
    return execution.withTips(history, percentiles)
  },
})

type Usage = { ratio: number; priced: PricedBlock }

/** Cached by block, because parsing a block takes most of the time, and clients request the same blocks repeatedly. */
const usages = new WeakMap<Prepared<RpcBlock>, Usage>()

function usageOf(prepared: Prepared<RpcBlock>): Usage {
  const known = usages.get(prepared)
  if (known) return known
  const { gasLimit, gasUsed, hash, parentHash, timestamp } = fromPrepared(prepared)
  const usage = {
    ratio: Number(gasUsed) / Number(gasLimit),
    priced: { hash, parentHash, timestamp: Number(timestamp) * 1_000 },
  }
  usages.set(prepared, usage)
  return usage
}

/** Results for 0 … length − 1, a few in flight at once. */
async function mapBounded<value>(
  parent: Call,
  length: number,
  load: (index: number, call: Call) => Promise<value>,
): Promise<value[]> {
  const results: value[] = []
  let next = 0
  const worker = async (call: Call) => {
    while (next < length) {
      call.signal?.throwIfAborted()
      const index = next++
      results[index] = await load(index, call)
    }
  }
  const workers = { length: Math.min(CONCURRENCY, length) }
  await together(parent, (call) => Array.from(workers, () => worker(call)))
  return results
}
