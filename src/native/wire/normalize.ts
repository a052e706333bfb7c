import { decodeMessage, unknownFormat } from '../errors.ts'
import { hasFormat, isEmpty } from './formats.ts'
import type { Operation } from './operation.ts'

/**
 * Converts a received answer to the one that callers get: `{}` becomes undefined or an empty list if the operation means
 * that, hex messages become text, and the brand names of three fields become neutral names.
 *
 * @throws NodeAnswerError when the answer does not have the format of the operation's answers
 */
export function normalize(operation: Operation<unknown, unknown>, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) fail()
  const isNone = isEmpty(answer)
  if (operation.empty === 'none' && isNone) return []
  if (Array.isArray(answer) !== (operation.empty === 'none')) fail()
  if (operation.empty === 'unknown' && isNone) return undefined
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

  function fail(): never {
    throw unknownFormat(operation.path)
  }
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
