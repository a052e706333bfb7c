import { decodeMessage, NodeAnswerError } from '../errors.ts'
import type { Operation } from './operation.ts'

/**
 * Converts a received answer to the one that callers get: `{}` becomes undefined or an empty list if the operation means
 * that, hex messages become text, and the brand names of three fields become neutral names.
 *
 * @throws NodeAnswerError when the answer does not have the format of the operation's answers
 */
export function normalize(operation: Operation<unknown, unknown>, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) fail()
  if (operation.empty === 'none') return Array.isArray(answer) ? answer : noneOrFail()
  if (Array.isArray(answer)) fail()
  if (operation.empty === 'unknown' && isEmpty(answer)) return undefined
  if (!hasFormat(operation.path, answer)) fail()
  switch (operation.path) {
    case 'triggerconstantcontract':
    case 'triggersmartcontract':
    case 'estimateenergy':
      return 'result' in answer ? { ...answer, result: withText(answer.result) } : fail()
    case 'broadcasttransaction':
      return withText(answer)
    case 'getaccountresource':
    case 'getburntrx':
      return withNeutralNames(answer)
    default:
      return answer
  }

  function noneOrFail(): unknown[] {
    return isEmpty(answer as object) ? [] : fail()
  }

  function fail(): never {
    throw new NodeAnswerError(
      `the upstream node’s answer to ${operation.path} has an unknown format`,
    )
  }
}

/**
 * A member that every answer of the node to an operation has. A proxy may send a body of its own, such as
 * `{"message":"…"}`. Without this check, that would be an account without coins or a transaction that does not exist.
 */
const REQUIRED_MEMBERS: Record<string, string> = {
  getaccount: 'address',
  getaccountbalance: 'balance',
  getblock: 'block_header',
  getblockbyid: 'block_header',
  getblockbynum: 'block_header',
  getchainparameters: 'chainParameter',
  getcontract: 'contract_address',
  getcontractinfo: 'smart_contract',
  getenergyprices: 'prices',
  getnowblock: 'block_header',
  gettransactionbyid: 'raw_data',
  gettransactionfrompending: 'raw_data',
  gettransactioninfobyid: 'id',
  gettransactionlistfrompending: 'txId',
}

/** Whether an answer can be from the node: an object or a list, with the member that every answer of the node has. */
export function hasFormat(operation: string, answer: unknown): boolean {
  if (typeof answer !== 'object' || answer === null) return false
  const required = REQUIRED_MEMBERS[operation]
  return required === undefined || required in answer || isEmpty(answer)
}

function isEmpty(answer: object): boolean {
  for (const _ in answer) return false
  return true
}

function withText(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('message' in result)) return result
  return typeof result.message === 'string'
    ? { ...result, message: decodeMessage(result.message) }
    : result
}

const NEUTRAL_NAMES: Record<string, string> = {
  TotalTronPowerWeight: 'totalNativePowerWeight',
  totalTronPowerWeight: 'totalNativePowerWeight',
  TotalNativePowerWeight: 'totalNativePowerWeight',
  tronPowerLimit: 'nativePowerLimit',
  tronPowerUsed: 'nativePowerUsed',
  burnTrxAmount: 'burnNativeAmount',
}

function withNeutralNames(answer: object): object {
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [NEUTRAL_NAMES[name] ?? name, value]),
  )
}
