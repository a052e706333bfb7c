import type { Part } from './operation.ts'
import type { TransactionInfo } from './types.ts'

/** Of the outcome of a transaction only what it logged. */
export type TransactionLogs = Pick<TransactionInfo, 'id' | 'log'>

/** The logs in an answer of `gettransactioninfobyblocknum`. */
export const logsPart: Part<OutcomeLogs[]> = {
  name: 'logs',
  read: (text: string) => (text.length > LARGE ? undefined : tryParse(text)),
  pick: (infos: TransactionInfo[]) => infos.map(outcomeOf),
}

/** What a transaction logged, and the height and time of its block. */
export type OutcomeLogs = TransactionLogs & { blockNumber: number; blockTimeStamp: number }

/** The logs in an answer of `gettransactioninfobyid`. */
export const outcomeLogsPart: Part<OutcomeLogs> = {
  name: 'logs',
  read: (text: string) => (text.length > LARGE ? undefined : tryParse(text)),
  pick: outcomeOf,
}

function outcomeOf({ blockNumber = 0, blockTimeStamp = 0, id, log }: TransactionInfo): OutcomeLogs {
  const outcome = { blockNumber, blockTimeStamp, id }
  return log ? { ...outcome, log } : outcome
}

/** Characters from which on an answer is read in slices, as any other. */
const LARGE = 100_000

/** Ids and logs have no numbers, and heights and times are below 2^53, so there is none that would have to be read exactly. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
