import type { Hash } from 'viem'

import { toLogText } from '../codec/log.ts'
import { toPlainLogs } from '../codec/logPage/plainLog.ts'
import { toHash, toQuantity, toSeconds } from '../codec/quantity.ts'
import type { NativeClient } from '../native/client.ts'
import { type LogChunk, textChunk } from './logChunk.ts'
import type { HintedBlock } from './logHints.ts'
import type { LogMatcher } from './logMatch.ts'
import type { BlockSpans } from './spans.ts'

/** The native calls that read the logs of one transaction, and of all transactions of a block. */
export type OutcomeSource = {
  wallet: Pick<NativeClient['wallet'], 'getTransactionLogsById' | 'getTransactionLogsByBlockNum'>
}

/** What the readers of one block need. */
export type HintedRead = {
  native: OutcomeSource
  signal?: AbortSignal | undefined
  spans: Pick<BlockSpans, 'run'>
}

/**
 * The logs of a block by the outcomes of all its transactions; undefined when they do not match the hint. Only the hash of the block
 * comes from the hint.
 */
export async function readOutcomes(
  hinted: HintedBlock,
  matcher: LogMatcher,
  { native, signal, spans }: HintedRead,
): Promise<LogChunk | undefined> {
  const { hash, number, transactions } = hinted
  if (!isHashOf(hash, number)) return undefined
  const outcomes = await spans.run(() =>
    native.wallet.getTransactionLogsByBlockNum({ num: number }, { signal }),
  )
  const [first] = outcomes
  if (!first || outcomes.some(({ blockNumber }) => blockNumber !== number)) return undefined
  const places = transactions.flatMap(({ id, index, logIndexes }) =>
    logIndexes.map((logIndex) => ({ id, index, logIndex })),
  )
  const found = toPlainLogs(outcomes).filter((log) => matcher.matchesPlain(log))
  const fits =
    found.length === places.length &&
    found.every(({ index, transactionHash, transactionIndex }, row) => {
      const place = places[row]
      return (
        place?.logIndex === index &&
        place.index === transactionIndex &&
        place.id === toHash(transactionHash)
      )
    })
  if (!fits) return undefined
  const common = {
    blockHash: hash,
    blockNumber: toQuantity(number),
    blockTimestamp: toSeconds(first.blockTimeStamp),
  }
  const texts = found.map(({ address, data, index, topics, transactionHash, transactionIndex }) =>
    toLogText({
      address: `0x${address}`,
      ...common,
      data: `0x${data}`,
      logIndex: toQuantity(index),
      topics: topics.map(toHash),
      transactionHash: toHash(transactionHash),
      transactionIndex: toQuantity(transactionIndex),
      removed: false,
    }),
  )
  return textChunk(number, texts)
}

/** The logs of a block, from the outcomes of the hinted transactions; undefined when they differ from the hint. */
export async function readTransactions(
  hinted: HintedBlock,
  matcher: LogMatcher,
  { native, signal, spans }: HintedRead,
): Promise<LogChunk | undefined> {
  const { hash, number, transactions } = hinted
  if (!isHashOf(hash, number)) return undefined
  const outcomes = await Promise.all(
    transactions.map(({ id }) =>
      spans.run(() => native.wallet.getTransactionLogsById({ value: id.slice(2) }, { signal })),
    ),
  )
  const texts: string[] = []
  let nextIndex = 0
  let nextLog = 0
  for (const [at, { id, index, logIndexes }] of transactions.entries()) {
    const outcome = outcomes[at]
    if (!outcome || toHash(outcome.id) !== id || outcome.blockNumber !== number) return undefined
    const logs = toPlainLogs([outcome]).map(({ address, data, topics }) => ({
      address: `0x${address}` as const,
      data: `0x${data}` as const,
      topics: topics.map(toHash),
    }))
    const places = logs.flatMap((log, place) => (matcher.matches(log) ? [place] : []))
    const first = (logIndexes[0] ?? 0) - (places[0] ?? 0)
    const fits =
      places.length === logIndexes.length &&
      places.every((place, row) => first + place === logIndexes[row])
    if (!fits || index < nextIndex || first < nextLog) return undefined
    const common = {
      blockHash: hash,
      blockNumber: toQuantity(number),
      blockTimestamp: toSeconds(outcome.blockTimeStamp),
    }
    nextIndex = index + 1
    nextLog = first + logs.length
    for (const place of places) {
      const { address, data, topics } = logs[place] as (typeof logs)[number]
      texts.push(
        toLogText({
          address,
          ...common,
          data,
          logIndex: toQuantity(first + place),
          topics,
          transactionHash: id,
          transactionIndex: toQuantity(index),
          removed: false,
        }),
      )
    }
  }
  return textChunk(number, texts)
}

/** Whether a hash can be that of a block: its first eight bytes are the height. */
function isHashOf(hash: Hash, number: number): boolean {
  return HASH.test(hash) && Number.parseInt(hash.slice(2, 18), 16) === number
}

const HASH = /^0x[0-9a-f]{64}$/
