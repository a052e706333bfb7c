import { toRpcAddress } from '../lib/address.ts'
import type { Block, TransactionInfo } from '../native/wire/types.ts'
import { toData, toHash, toQuantity, toSeconds } from './quantity.ts'
import type { RpcLog } from './types.ts'

/** The fields of a block that its logs need. */
export type LogSource = Pick<Block, 'blockID' | 'block_header'>

/**
 * Every log of a block, in block order, one list per transaction.
 *
 * `logIndex` counts over the whole block. A transaction that ran out of time may have logs although it failed. They are
 * listed and counted, as by the node.
 */
export function toRpcLogsByTransaction(
  block: LogSource,
  infos: readonly Pick<TransactionInfo, 'id' | 'log'>[],
): RpcLog[][] {
  const { number, timestamp } = block.block_header.raw_data
  const common = {
    blockHash: toHash(block.blockID),
    blockNumber: toQuantity(number),
    blockTimestamp: toSeconds(timestamp),
  }
  let logIndex = 0
  return infos.map(({ id, log = [] }, transactionIndex) =>
    log.map(({ address, topics = [], data }) => ({
      // Sourced from the node.
      address: toRpcAddress(address),
      ...common,
      data: toData(data),
      logIndex: toQuantity(logIndex++),
      topics: topics.map(toHash),
      transactionHash: toHash(id),
      transactionIndex: toQuantity(transactionIndex),

      // False for a canonical block. Filters and subscriptions set it for an orphan.
      removed: false,
    })),
  )
}

/** Every log of a block, in block order. */
export function toRpcLogs(
  block: LogSource,
  infos: readonly Pick<TransactionInfo, 'id' | 'log'>[],
): RpcLog[] {
  return toRpcLogsByTransaction(block, infos).flat()
}
