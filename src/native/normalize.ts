import { decodeMessage, NodeAnswerError } from './errors.ts'
import type { Operation } from './operation.ts'

/**
 * The last step from an answer as received to the answer that callers see: `{}` becomes what it means, hex messages become
 * text, and the maker's spelling of three fields becomes the neutral one.
 *
 * @throws NodeAnswerError when the answer is of no shape that the node gives.
 */
export function normalize(operation: Operation<unknown, unknown>, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null)
    throw new NodeAnswerError(`the upstream node’s answer to ${operation.path} makes no sense`)
  if (operation.empty === 'none') return Array.isArray(answer) ? answer : noneOrFail()
  if (operation.empty === 'unknown' && isEmpty(answer)) return undefined
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
    throw new NodeAnswerError(`the upstream node’s answer to ${operation.path} makes no sense`)
  }
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
