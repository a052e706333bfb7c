import { toRpcAddress } from '../../lib/address.ts'
import type { Hex, TransactionInfo } from '../../native/wire/types.ts'
import { toHash } from '../quantity.ts'

/** A log without the fields of its block. Hex without `0x`, lower case. */
export type PlainLog = {
  /** Index in the block. */
  index: number
  transactionIndex: number
  /** 32 bytes. */
  transactionHash: Hex
  /** 20 bytes. */
  address: Hex
  /** 32 bytes each, at most four. */
  topics: readonly Hex[]
  data: Hex
}

const wordOf = (topic: Hex) => toHash(topic).slice(2)

/** Every log of a block, in order. @param infos - the outcomes of all its transactions. */
export function toPlainLogs(infos: readonly Pick<TransactionInfo, 'id' | 'log'>[]): PlainLog[] {
  let index = 0
  return infos.flatMap(({ id, log = [] }, transactionIndex) =>
    log.map(({ address, data = '', topics = [] }) => ({
      index: index++,
      transactionIndex,
      transactionHash: id,
      // In the node's format, because joining and cutting strings would cost more than the rest.
      address: address?.length === 40 ? address : toRpcAddress(address).slice(2),
      topics: topics.every(({ length }) => length === 64) ? topics : topics.map(wordOf),
      data,
    })),
  )
}
