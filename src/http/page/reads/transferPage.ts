import type { Address } from 'viem'
import { pad } from 'viem/utils'

import { isInvalidParams, RpcError } from '../../../lib/errors.ts'
import { type ListPlace, readNewestLogs } from './logPage.ts'
import type { Source } from './source.ts'
import { TRANSFER_TOPIC, transferOf } from './transfers.ts'

/** The token transfers of an account in the blocks that were searched, newest first. */
export type TransferPage = NonNullable<Awaited<ReturnType<typeof findTransfers>>>

/** Transfers of one page. */
const PAGE = 50

/** The transfers from and to an account, and those of its own token if it is a contract. Undefined when they cannot be read. */
export async function findTransfers(
  address: Address,
  place: ListPlace,
  source: Source,
  limit = PAGE,
) {
  const word = pad(address)
  const searches = [
    { topics: [TRANSFER_TOPIC, word] },
    { topics: [TRANSFER_TOPIC, null, word] },
    { address, topics: [TRANSFER_TOPIC] },
  ] as const
  try {
    const { logs, ...page } = await readNewestLogs(searches, place, limit, source)
    const transfers = await Promise.all(logs.map((log) => transferOf(log, source)))
    return { ...page, transfers: transfers.filter((one) => one !== undefined) }
  } catch (error) {
    // An invalid place comes from the address of the page.
    if (error instanceof RpcError && !isInvalidParams(error)) return undefined
    throw error
  }
}
