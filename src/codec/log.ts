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
export function toRpcLogsByTransaction(block: LogSource, infos: readonly Outcome[]): RpcLog[][] {
  const common = commonFields(block)
  let first = 0
  return infos.map((info, index) => {
    const logs = logsOf(info, { common, first, index })
    first += logs.length
    return logs
  })
}

/** The logs of one transaction of a block. */
export function toRpcLogsOf(
  block: LogSource,
  info: Outcome,
  { firstLog, index }: { firstLog: number; index: number },
): RpcLog[] {
  return logsOf(info, { common: commonFields(block), first: firstLog, index })
}

type Outcome = Pick<TransactionInfo, 'id' | 'log'>

type CommonFields = Pick<RpcLog, 'blockHash' | 'blockNumber' | 'blockTimestamp'>

function commonFields({ blockID, block_header }: LogSource): CommonFields {
  const { number, timestamp } = block_header.raw_data
  return {
    blockHash: toHash(blockID),
    blockNumber: toQuantity(number),
    blockTimestamp: toSeconds(timestamp),
  }
}

/** @param place - the index of the transaction, and of its first log in the block */
function logsOf(
  { id, log = [] }: Outcome,
  { common, first, index }: { common: CommonFields; first: number; index: number },
): RpcLog[] {
  return log.map(({ address, topics = [], data }, offset) => ({
    // Sourced from the node.
    address: toRpcAddress(address),
    ...common,
    data: toData(data),
    logIndex: toQuantity(first + offset),
    topics: topics.map(toHash),
    transactionHash: toHash(id),
    transactionIndex: toQuantity(index),

    // False for a canonical block. Filters and subscriptions set it for an orphan.
    removed: false,
  }))
}

/** Every log of a block, in block order. */
export function toRpcLogs(block: LogSource, infos: readonly Outcome[]): RpcLog[] {
  return toRpcLogsByTransaction(block, infos).flat()
}
