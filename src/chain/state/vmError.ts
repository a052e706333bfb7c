import { RpcError, UpstreamError } from '../../lib/errors.ts'
import type { ConstantFailure } from '../../native/constantCall.ts'
import { isHidden } from '../../native/errors.ts'
import { shownText } from '../../native/shownText.ts'

/** Whether the node has refused a call, and hides why: no code, no coins, or no calls at all. */
export function isUnclearRefusal({ code, message }: ConstantFailure): boolean {
  return code === 'CONTRACT_VALIDATE_ERROR' && isHidden(message)
}

/** Whether a failure says that the called account has no code. */
export function isAccountWithoutCode(failure: ConstantFailure): boolean {
  return failure.message.startsWith('Smart contract is not exist')
}

/** Whether the node was built or configured without energy estimates, or without any contract calls. */
export function lacksEstimates(failure: ConstantFailure): boolean {
  return /does not support (?:estimate energy|constant)/.test(failure.message)
}

/**
 * The error for a call that failed without a revert: `-32000` and the text that Ethereum clients know, followed by the
 * text of the node, if it may be shown.
 */
export function callError({ exception, message }: ConstantFailure): RpcError {
  if (/does not support .*constant/.test(message))
    return new RpcError(
      -32000,
      'the upstream node does not run contract calls: set vm.supportConstant = true in its configuration',
    )
  if (/no OwnerAccount|balance is not sufficient/.test(message)) return insufficientFunds()
  if (/to yourself/.test(message))
    return new RpcError(-32000, 'a contract cannot be called with value by itself')
  if (message === '' || exception === 'NullPointerException')
    return new UpstreamError('the upstream node failed to run the call')
  if (isHidden(message)) return new RpcError(-32000, FAILED)
  const known = exception && WORDS[exception]
  const shown = shownText(message, '')
  if (known) return new RpcError(-32000, shown === '' ? known : `${known}: ${shown}`)
  const isOfNode = exception !== undefined && !TEXTS.has(exception)
  return new RpcError(-32000, isOfNode || shown === '' ? FAILED : shown)
}

const FAILED = 'execution failed in the virtual machine of the node'

/** The beginning of the message by which Ethereum libraries recognise that an account lacks coins. */
export const INSUFFICIENT_FUNDS = 'insufficient funds for gas * price + value'

/** `-32000`: the caller has less than the value that the call carries. */
export const insufficientFunds = () => new RpcError(-32000, INSUFFICIENT_FUNDS)

/**
 * Exceptions whose text says why a contract failed. The text of all others, such as an index out of bounds in a precompiled
 * contract, is about the code of the node.
 */
const TEXTS: ReadonlySet<string> = new Set([
  'BytecodeExecutionException',
  'ContractExeException',
  'ContractValidateException',
  'InvalidCodeException',
])

/** Ethereum’s names for the errors of the virtual machine. */
const WORDS: Partial<Record<string, string>> = {
  BadJumpDestinationException: 'invalid jump destination',
  IllegalOperationException: 'invalid opcode',
  JVMStackOverFlowException: 'max call depth exceeded',
  OutOfEnergyException: 'out of gas',
  OutOfMemoryException: 'out of memory',
  OutOfTimeException: 'execution timed out',
  PrecompiledContractException: 'precompiled contract failed',
  ReturnDataCopyIllegalBoundsException: 'return data out of bounds',
  StackTooLargeException: 'stack limit reached',
  StackTooSmallException: 'stack underflow',
  StaticCallModificationException: 'write protection',
  TransferException: 'transfer failed',
}
