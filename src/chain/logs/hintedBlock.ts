import type { Hash } from 'viem'

import { toLogText } from '../../codec/log.ts'
import { type PlainLog, toPlainLogs } from '../../codec/logPage/plainLog.ts'
import { toHash, toQuantity, toSeconds } from '../../codec/quantity.ts'
import type { NativeClient } from '../../native/client.ts'
import { type LogChunk, textChunk } from '../blocks/logChunk.ts'
import type { LogMatcher } from '../blocks/logMatch.ts'
import type { HintedBlock } from './logHints.ts'
import type { BlockSpans } from './spans.ts'

/** The native calls that read the logs of one transaction, and of all transactions of a block. */
export type OutcomeSource = {
  wallet: Pick<NativeClient['wallet'], 'getTransactionLogsById' | 'getTransactionLogsByBlockNum'>
}

/** The dependencies of the readers of one block. */
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
  const { number, transactions } = hinted
  if (!isHashOf(hinted)) return undefined
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
  const fields = blockFields(hinted, first.blockTimeStamp)
  const texts = found.map((log, row) => toText(log, fields, places[row] as Place))
  return textChunk(number, texts)
}

/** The logs of a block, from the outcomes of the hinted transactions; undefined when they differ from the hint. */
export async function readTransactions(
  hinted: HintedBlock,
  matcher: LogMatcher,
  { native, signal, spans }: HintedRead,
): Promise<LogChunk | undefined> {
  const { number, transactions } = hinted
  if (!isHashOf(hinted)) return undefined
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
    const logs = toPlainLogs([outcome])
    const places = logs.flatMap((log, place) => (matcher.matchesPlain(log) ? [place] : []))
    const first = (logIndexes[0] ?? 0) - (places[0] ?? 0)
    const fits =
      places.length === logIndexes.length &&
      places.every((place, row) => first + place === logIndexes[row])
    if (!fits || index < nextIndex || first < nextLog) return undefined
    nextIndex = index + 1
    nextLog = first + logs.length
    const fields = blockFields(hinted, outcome.blockTimeStamp)
    for (const place of places)
      texts.push(toText(logs[place] as PlainLog, fields, { id, index, logIndex: first + place }))
  }
  return textChunk(number, texts)
}

/** The transaction and the index in the block that the hint names for a log. */
type Place = { id: Hash; index: number; logIndex: number }

/** The fields that all logs of a block share. @param timestamp - in milliseconds */
function blockFields({ hash, number }: HintedBlock, timestamp: number) {
  return {
    blockHash: hash,
    blockNumber: toQuantity(number),
    blockTimestamp: toSeconds(timestamp),
  }
}

function toText(
  { address, data, topics }: PlainLog,
  fields: ReturnType<typeof blockFields>,
  { id, index, logIndex }: Place,
): string {
  return toLogText({
    address: `0x${address}`,
    ...fields,
    data: `0x${data}`,
    logIndex: toQuantity(logIndex),
    topics: topics.map(toHash),
    transactionHash: id,
    transactionIndex: toQuantity(index),
    removed: false,
  })
}

/** Whether the hash of a hint can be that of its block: the first eight bytes of a hash are the height. */
function isHashOf({ hash, number }: HintedBlock): boolean {
  return HASH.test(hash) && Number.parseInt(hash.slice(2, 18), 16) === number
}

const HASH = /^0x[0-9a-f]{64}$/
