import { parseInexact } from './json.ts'
import type { Part } from './operation.ts'
import { parseAnswer } from './parseAnswer.ts'
import type { InternalTransaction, TransactionInfo } from './types.ts'

/** The id and the logs of a transaction, whether it failed, and the contract and the accounts inside it. */
export type TransactionLogs = Pick<
  TransactionInfo,
  'id' | 'log' | 'contract_address' | 'result' | 'internal_transactions'
>

/** The logs in an answer of `gettransactioninfobyblocknum`. */
export const logsPart: Part<OutcomeLogs[]> = {
  name: 'logs',
  read: readLogs,
  pick: (infos: TransactionInfo[]) => infos.map(outcomeOf),
}

/** The logs and the energy of a transaction, and the height and time of its block. */
export type OutcomeLogs = TransactionLogs & {
  blockNumber: number
  blockTimeStamp: number
  /** Absent where no energy was used. */
  receipt?: { energy_usage_total: number }
}

/** The logs in an answer of `gettransactioninfobyid`. */
export const outcomeLogsPart: Part<OutcomeLogs> = {
  name: 'logs',
  read: readLogs,
  pick: outcomeOf,
}

function outcomeOf(info: TransactionInfo): OutcomeLogs {
  const { blockNumber = 0, blockTimeStamp = 0, id, log, receipt } = info
  const { contract_address, internal_transactions, result } = info
  const energy = receipt?.energy_usage_total ?? 0
  // Spreading what may be absent takes longer than the rest.
  const outcome: OutcomeLogs = { blockNumber, blockTimeStamp, id }
  if (energy > 0) outcome.receipt = { energy_usage_total: energy }
  if (log) outcome.log = log
  if (contract_address !== undefined) outcome.contract_address = contract_address
  if (result !== undefined) outcome.result = result
  if (internal_transactions) outcome.internal_transactions = internal_transactions.map(accountsOf)
  return outcome
}

/** The parties of an inner call, and the tokens of the chain that it moves. */
function accountsOf(inner: InternalTransaction): InternalTransaction {
  const { caller_address, callValueInfo = [], note, rejected, transferTo_address } = inner
  const tokens = callValueInfo.flatMap(({ tokenId }) =>
    tokenId === undefined ? [] : [{ tokenId }],
  )
  return {
    ...(caller_address !== undefined && { caller_address }),
    ...(transferTo_address !== undefined && { transferTo_address }),
    ...(note !== undefined && { note }),
    ...(rejected !== undefined && { rejected }),
    ...(tokens.length > 0 && { callValueInfo: tokens }),
  }
}

/** Reads without exact int64 values: the only numbers that are used are heights, times and energy, which are below 2^53. */
function readLogs(text: string, check?: () => void): unknown {
  return parseAnswer(text, { check, parse: parseInexact })
}
