import type { Address, Hash } from 'viem'
import { numberToHex, pad } from 'viem/utils'

import type { RpcLog } from '../../../codec/types.ts'
import { lastBlock, type Source } from './source.ts'
import { type Transfer, TRANSFER_TOPIC, transferOf } from './transfers.ts'

/** The token transfers of an account in a range of blocks, newest first. `isCut`: there are more in the range. */
export type TransferPage = { transfers: Transfer[]; from: number; to: number; isCut: boolean }

/** Blocks of one page. A log index answers long ranges at once. */
const BLOCKS = 1_000
const INDEXED_BLOCKS = 1_000_000

/** Transfers of one page. */
const MOST = 100

/**
 * The transfers from and to an account, and those of its own token if it is a contract.
 *
 * @param to - the last block; undefined for the head @returns undefined when they cannot be read @throws BeyondHeadError
 */
export async function findTransfers(
  address: Address,
  to: number | undefined,
  source: Source,
): Promise<TransferPage | undefined> {
  const last = lastBlock(to, await source.head())
  const word = pad(address)
  for (const blocks of [INDEXED_BLOCKS, BLOCKS]) {
    const first = Math.max(0, last - blocks + 1)
    const range = { fromBlock: numberToHex(first), toBlock: numberToHex(last) }
    const find = (filter: { address?: Address; topics: (Hash | null)[] }) =>
      source.ask<RpcLog[]>('eth_getLogs', { ...range, ...filter })
    try {
      const found = await Promise.all([
        find({ topics: [TRANSFER_TOPIC, word] }),
        find({ topics: [TRANSFER_TOPIC, null, word] }),
        find({ address, topics: [TRANSFER_TOPIC] }),
      ])
      const logs = [...new Map(found.flat().map((log) => [keyOf(log), log])).values()]
      const newest = logs.toSorted(newestFirst)
      const transfers = await Promise.all(
        newest.slice(0, MOST).map((log) => transferOf(log, source)),
      )
      return {
        transfers: transfers.filter((one) => one !== undefined),
        from: first,
        to: last,
        isCut: logs.length > MOST,
      }
    } catch {
      // Without an index, a gateway refuses long ranges: the short one is the answer.
    }
  }
  return undefined
}

const keyOf = ({ blockNumber, logIndex }: RpcLog) => `${blockNumber} ${logIndex}`

const newestFirst = (a: RpcLog, b: RpcLog) =>
  Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex)
