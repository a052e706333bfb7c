import type { Address, Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import type { RpcReceipt } from '../../../codec/types.ts'
import type { Source } from '../reads/source.ts'
import { type Actions, addressIn, ApiError, decimal, hashIn, numberIn } from './query.ts'

/** The members of a block that these actions read. */
type Header = { miner: Address; number: Hex; timestamp: Hex }

const headerAt = (number: number, source: Source) =>
  source.ask<Header | null>('eth_getBlockByNumber', numberToHex(number), false)

/** The module `block`. */
export const block: Actions = {
  async getblockreward(query, source) {
    const found = await headerAt(numberIn(query, 'blockno', 0), source)
    if (!found) throw new ApiError('No record found')
    return {
      blockNumber: decimal(found.number),
      timeStamp: decimal(found.timestamp),
      blockMiner: found.miner,
      // The chain pays its producers separately.
      blockReward: '0',
      uncles: [],
      uncleInclusionReward: '0',
    }
  },

  async getblocknobytime(query, source) {
    const time = numberIn(query, 'timestamp', 0)
    const isBefore = query('closest') !== 'after'
    let [low, high] = [0, await source.head()]
    // The last block not after the time, by halving.
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const found = await headerAt(middle, source)
      if (!found) throw new ApiError('Error! No closest block found')
      if (Number(found.timestamp) <= time) low = middle
      else high = middle - 1
    }
    const found = await headerAt(low, source)
    const at = Number(found?.timestamp ?? 0)
    if (isBefore ? at > time : low === (await source.head()) && at < time)
      throw new ApiError('Error! No closest block found')
    return String(isBefore || at === time ? low : at > time ? low : low + 1)
  },
}

/** The module `transaction`. */
export const transaction: Actions = {
  async getstatus(query, source) {
    const receipt = await source.ask<RpcReceipt | null>('eth_getTransactionReceipt', hashIn(query))
    const hasFailed = receipt?.status === '0x0'
    return { isError: hasFailed ? '1' : '0', errDescription: hasFailed ? 'execution failed' : '' }
  },

  async gettxreceiptstatus(query, source) {
    const receipt = await source.ask<RpcReceipt | null>('eth_getTransactionReceipt', hashIn(query))
    return { status: receipt ? decimal(receipt.status) : '' }
  },
}

/** The module `stats`. */
export const stats: Actions = {
  async tokensupply(query, source) {
    const supply = await source.call(addressIn(query, 'contractaddress'), 'totalSupply')
    if (typeof supply !== 'bigint') throw new ApiError('Error! The contract is no token')
    return String(supply)
  },
}
