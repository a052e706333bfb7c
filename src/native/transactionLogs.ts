import type { Part } from './operation.ts'
import type { TransactionInfo } from './types.ts'

/** The id and the logs of a transaction. */
export type TransactionLogs = Pick<TransactionInfo, 'id' | 'log'>

/** The logs in an answer of `gettransactioninfobyblocknum`. */
export const logsPart: Part<OutcomeLogs[]> = {
  name: 'logs',
  read: (text: string) => (text.length > LARGE ? undefined : tryParse(text)),
  pick: (infos: TransactionInfo[]) => infos.map(outcomeOf),
}

/** The logs of a transaction, and the height and time of its block. */
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

/** An answer with more characters is parsed in slices (see `parseAnswer`). */
const LARGE = 100_000

/** Parses without exact int64 values: the only numbers that are used are heights and times, which are below 2^53. */
function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
