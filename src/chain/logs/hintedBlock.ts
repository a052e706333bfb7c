import { heightOfHash } from '../../codec/blockRef.ts'
import { type PlainLog, toPlainLogs } from '../../codec/logPack/plainLog.ts'
import { toHash } from '../../codec/quantity.ts'
import type { Call } from '../../lib/call.ts'
import type { NativeClient } from '../../native/client.ts'
import { rowsOfLogs } from '../blocks/logBlock.ts'
import type { LogChunk } from '../blocks/logChunk.ts'
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
  call?: Call | undefined
  spans: Pick<BlockSpans, 'run'>
}

/**
 * The logs of a block by the outcomes of all its transactions; undefined when they do not match the hint. Only the hash of the block
 * comes from the hint.
 */
export async function readOutcomes(
  hinted: HintedBlock,
  matcher: LogMatcher,
  { native, call, spans }: HintedRead,
): Promise<LogChunk | undefined> {
  const { number, transactions } = hinted
  if (!isHashOf(hinted)) return undefined
  const outcomes = await spans.run(
    () => native.wallet.getTransactionLogsByBlockNum({ num: number }, call),
    call,
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
  return rowsOfLogs({ ...hinted, timestamp: first.blockTimeStamp }, found)
}

/** The logs of a block, from the outcomes of the hinted transactions; undefined when they differ from the hint. */
export async function readTransactions(
  hinted: HintedBlock,
  matcher: LogMatcher,
  { native, call, spans }: HintedRead,
): Promise<LogChunk | undefined> {
  const { number, transactions } = hinted
  if (!isHashOf(hinted)) return undefined
  const outcomes = await Promise.all(
    transactions.map(({ id }) =>
      spans.run(() => native.wallet.getTransactionLogsById({ value: id.slice(2) }, call), call),
    ),
  )
  const found: PlainLog[] = []
  let timestamp = 0
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
    // Both are the node’s text, of any length.
    if (!Number.isSafeInteger(index) || !Number.isSafeInteger(first)) return undefined
    if (!fits || index < nextIndex || first < nextLog) return undefined
    nextIndex = index + 1
    nextLog = first + logs.length
    timestamp = outcome.blockTimeStamp
    for (const [place, log] of logs.entries())
      if (places.includes(place))
        found.push(Object.assign(log, { index: first + place, transactionIndex: index }))
  }
  return rowsOfLogs({ hash: hinted.hash, number, timestamp }, found)
}

/** Whether the hash of a hint can be that of its block. */
function isHashOf({ hash, number }: HintedBlock): boolean {
  return HASH.test(hash) && heightOfHash(hash) === number
}

const HASH = /^0x[0-9a-f]{64}$/
