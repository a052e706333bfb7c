import type { Address, Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import type { RpcReceipt } from '../../../codec/types.ts'
import { blockAt, headerAt } from '../reads/blockAt.ts'
import { type Actions, addressIn, ApiError, decimal, hashIn, numberIn } from './query.ts'

/** The members of a block that these actions read. */
type Header = { miner: Address; number: Hex; timestamp: Hex }

/** The module `block`. */
export const block: Actions = {
  async getblockreward(query, source) {
    const number = numberToHex(numberIn(query, 'blockno', 0))
    const found = await source.ask<Header | null>('eth_getBlockByNumber', number, false)
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
    const found = await blockAt(time, source)
    if (query('closest') !== 'after') {
      if (found < 0) throw new ApiError('Error! No closest block found')
      return String(found)
    }
    const isExact = found >= 0 && Number((await headerAt(found, source)).timestamp) === time
    if (!isExact && found === (await source.head()))
      throw new ApiError('Error! No closest block found')
    return String(isExact ? found : found + 1)
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
