import type { Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import type { RpcLog } from '../../../codec/types.ts'
import { joinLogs, sameBranch } from '../reads/logPage.ts'
import { receiptsOf } from '../reads/source.ts'
import { listed } from './account.ts'
import { type Actions, addressIn, ApiError, numberIn, partIn, type Query } from './query.ts'

/** Rows of one page. */
const MOST_ROWS = 1_000

/** The module `logs`. */
export const logs: Actions = {
  async getLogs(query, source) {
    const head = await source.head()
    const bound = (name: string, missing: number) =>
      query(name) === 'latest' ? head : numberIn(query, name, missing)
    const last = Math.min(bound('toBlock', head), head)
    const check = await sameBranch(last, source)
    const filter = {
      fromBlock: numberToHex(bound('fromBlock', 0)),
      toBlock: numberToHex(last),
      ...(query('address') !== undefined && { address: addressIn(query) }),
    }
    const { skip, take } = partIn(query, MOST_ROWS)
    const found = await Promise.all(
      searchesIn(query).map((topics) => source.ask<RpcLog[]>('eth_getLogs', { ...filter, topics })),
    )
    const receiptOf = receiptsOf(source)
    const page = await Promise.all(
      joinLogs(found)
        .slice(skip, skip + take)
        .map(async (log) => {
          const { effectiveGasPrice, gasUsed } = await receiptOf(log)
          return {
            address: log.address,
            topics: log.topics,
            data: log.data,
            blockNumber: log.blockNumber,
            blockHash: log.blockHash,
            timeStamp: log.blockTimestamp,
            gasPrice: effectiveGasPrice,
            gasUsed,
            logIndex: log.logIndex,
            transactionHash: log.transactionHash,
            transactionIndex: log.transactionIndex,
          }
        }),
    )
    await check?.()
    return listed(page, 'No records found')
  },
}

/** The searches whose union is asked for: one, or one for each topic when they are joined by `or`. @throws ApiError */
function searchesIn(query: Query): (Hex | null)[][] {
  const topics = [0, 1, 2, 3].flatMap((position) => {
    const topic = query(`topic${position}`)
    if (topic === undefined) return []
    if (!/^0x[0-9a-fA-F]{64}$/.test(topic)) throw new ApiError(`Error! Invalid topic${position}`)
    return [{ position, topic: topic as Hex }]
  })
  const operators = new Set(
    topics.slice(1).map(({ position }, index) => {
      const [first] = [topics[index]?.position ?? 0]
      return query(`topic${first}_${position}_opr`) ?? 'and'
    }),
  )
  const at = (wanted: typeof topics) => {
    const list: (Hex | null)[] = Array.from(
      { length: (wanted.at(-1)?.position ?? -1) + 1 },
      () => null,
    )
    for (const { position, topic } of wanted) list[position] = topic
    return list
  }
  if (operators.size > 1 || [...operators].some((one) => one !== 'and' && one !== 'or'))
    throw new ApiError('Error! Topics are joined by and, or all by or')
  return operators.has('or') ? topics.map((one) => at([one])) : [at(topics)]
}
