import type { Address, Hex } from 'viem'

import { revertReason } from '../../codec/revert.ts'
import { toNativeAddress, ZERO_ADDRESS } from '../../lib/address.ts'
import { ExecutionRevertedError, RpcError } from '../../lib/errors.ts'
import { MAX_INT64 } from '../../lib/int64.ts'
import {
  type ConstantFailure,
  type ConstantOutcome,
  readConstantCall,
} from '../../native/constantCall.ts'
import type { ContractCallRequest } from '../../native/wire/requests.ts'
import { balanceAt } from './balance.ts'
import { callThrough, isPrecompile } from './precompile.ts'
import { operationsAt, type StateRead } from './stateRead.ts'
import { callError, insufficientFunds, isAccountWithoutCode, isUnclearRefusal } from './vmError.ts'

/** A call as the virtual machine runs it. */
export type Call = {
  from: Address
  /** The called address. If absent, `data` is creation code. */
  to?: Address
  data: Hex
  /** Sun. */
  value: bigint
}

/** The result of a call and the energy that it used, including the penalty of busy contracts. */
export type CallResult = { data: Hex; energy: bigint }

/**
 * Runs a call on the state that `source` names, without a transaction. Returns undefined if the target has no code, so
 * that nothing ran, and the caller owns the value.
 *
 * @throws ExecutionRevertedError with the exact revert bytes; HistoricalStateError; RpcError `-32000` when the virtual
 * machine stopped for another reason or the caller lacks the value.
 */
export async function runCall(call: Call, state: StateRead): Promise<CallResult | undefined> {
  const outcome = await simulate(call, state)
  if (outcome.kind === 'success')
    return { data: `0x${outcome.data}`, energy: BigInt(outcome.energy) }
  if (outcome.kind === 'revert') throw reverted(`0x${outcome.data}`)
  if (!(await hasNoCode(outcome, call, state))) throw callError(outcome)
  await assertFunds(call, state)
  if (!call.to || !isPrecompile(call.to)) return undefined
  return { data: await callPrecompile(call.to, call.data, state), energy: 0n }
}

/** Whether a call was refused because the account has no code. A node that hides its words is asked for the code and the coins. */
async function hasNoCode(failure: ConstantFailure, call: Call, state: StateRead): Promise<boolean> {
  if (isAccountWithoutCode(failure)) return true
  if (!isUnclearRefusal(failure) || !call.to) return false
  const value = toNativeAddress(call.to)
  const info = await state.native.wallet.getContractInfo({ value }, state.call)
  if (!info?.runtimecode) return true
  await assertFunds(call, state)
  return false
}

function callPrecompile(to: Address, data: Hex, state: StateRead): Promise<Hex> {
  return runProbe(callThrough(to, data), state, (failure) =>
    BAD_INPUT.has(failure.exception)
      ? new RpcError(-32000, 'precompiled contract failed: invalid input')
      : callError(failure),
  )
}

/**
 * Runs creation code that returns its result by REVERT. Unlike RETURN, this costs no code deposit and allows any first
 * byte. It also works on the solidified state, for which the node has few other reads.
 *
 * @param toError - the error to throw when the code stops
 */
export async function runProbe(
  code: Hex,
  state: StateRead,
  toError: typeof callError = callError,
): Promise<Hex> {
  const outcome = await simulate({ from: ZERO_ADDRESS, data: code, value: 0n }, state)
  if (outcome.kind === 'revert') return `0x${outcome.data}`
  throw outcome.kind === 'failure' ? toError(outcome) : new RpcError(-32000, 'unexpected return')
}

/** The call in the format of the node. @throws RpcError when the value is larger than any balance, or there is no code to run. */
export function toNativeCall({ from, to, data, value }: Call): ContractCallRequest {
  if (value > MAX_INT64) throw insufficientFunds()
  if (to === undefined && data === '0x')
    throw new RpcError(-32000, 'contract creation without any data provided')
  return {
    owner_address: toNativeAddress(from),
    ...(to && { contract_address: toNativeAddress(to) }),
    data: data.slice(2),
    ...(value > 0n && { call_value: value }),
  }
}

/**
 * Checks that the sender of a plain transfer owns the value, in the state that the call runs in.
 *
 * @throws RpcError `insufficient funds …`
 */
export async function assertFunds({ from, value }: Call, state: StateRead): Promise<void> {
  if (value === 0n) return
  const { source } = state
  const ran = source.at === 'historic' ? source : { at: source.at }
  if ((await balanceAt(from, { ...state, source: ran })) < value) throw insufficientFunds()
}

async function simulate(call: Call, state: StateRead): Promise<ConstantOutcome> {
  const operations = operationsAt(state)
  return readConstantCall(await operations.triggerConstantContract(toNativeCall(call), state.call))
}

function reverted(data: Hex): ExecutionRevertedError {
  return new ExecutionRevertedError(data, revertReason(data))
}

/** `callThrough` stops with an invalid operation when the call fails. For 0x0a the node throws a Java exception instead. */
const BAD_INPUT = new Set<string | undefined>([
  'IllegalOperationException',
  'ArrayIndexOutOfBoundsException',
])
