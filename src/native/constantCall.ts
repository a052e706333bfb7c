import { splitException } from './errors.ts'
import type { ConstantCall } from './wire/accountTypes.ts'
import type { Hex } from './wire/types.ts'

/** The outcome of a constant call. `energy` is in units of energy, including the penalty. */
export type ConstantOutcome =
  | { kind: 'success'; data: Hex; energy: number; penalty: number }
  | { kind: 'revert'; data: Hex; energy: number; penalty: number }
  | ConstantFailure

/**
 * The call failed without a revert. `code` is the node's code: `CONTRACT_VALIDATE_ERROR` if the node refused the call,
 * `OTHER_ERROR` for an exception in the virtual machine. `exception` is the short name of the exception, `message` its text
 * without class names.
 */
export type ConstantFailure = {
  kind: 'failure'
  code: string
  exception: string | undefined
  message: string
}

/**
 * Distinguishes success, revert and failure of a constant call. A revert has `result.result: true`, no code, and the revert
 * data in place of the return data.
 */
export function readConstantCall(call: ConstantCall): ConstantOutcome {
  const failure = readFailure(call.result)
  if (failure) return failure
  return {
    kind: hasReverted(call) ? 'revert' : 'success',
    data: call.constant_result?.[0] ?? '',
    energy: call.energy_used ?? 0,
    penalty: call.energy_penalty ?? 0,
  }
}

/** The failure in `result` of a constant call or an estimate; undefined when there is none. */
export function readFailure(result: ConstantCall['result']): ConstantFailure | undefined {
  if (result.code === undefined || result.code === 'SUCCESS') return undefined
  const { exception, text } = splitException(result.message ?? '')
  return { kind: 'failure', code: result.code, exception, message: text }
}

function hasReverted({ result, transaction }: ConstantCall): boolean {
  return transaction?.ret?.[0]?.ret === 'FAILED' || Boolean(result.message)
}
