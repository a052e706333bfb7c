import type { Address, Hash } from 'viem'

import { decodeLog } from '../../../codec/abi.ts'
import type { RpcLog } from '../../../codec/types.ts'
import { type Source, type Token, tokenInList } from './source.ts'

/** First topic of `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** A transfer of a token of a contract. */
export type Transfer = {
  hash: Hash
  block: number
  /** Seconds. */
  time: number
  contract: Address
  token: Token | undefined
  from: Address
  to: Address
  /** In the smallest unit; undefined for a token with an id. */
  amount: bigint | undefined
  /** The id of a token that is one of a kind. */
  id: bigint | undefined
}

/** Reads a log as a transfer; undefined when it is another event. */
export async function transferOf(log: RpcLog, source: Source): Promise<Transfer | undefined> {
  if (log.topics[0] !== TRANSFER_TOPIC) return undefined
  const params = decodeLog(log, [])?.params
  const [from, to, last] = params ?? []
  if (!from || !to || !last) return undefined
  const value = last.value as bigint
  return {
    hash: log.transactionHash,
    block: Number(log.blockNumber),
    time: Number(log.blockTimestamp),
    contract: log.address,
    token: await tokenInList(log.address, source),
    from: (from.value as Address).toLowerCase() as Address,
    to: (to.value as Address).toLowerCase() as Address,
    amount: last.name === 'tokenId' ? undefined : value,
    id: last.name === 'tokenId' ? value : undefined,
  }
}
