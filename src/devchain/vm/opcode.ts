import type { EVMOpts } from '@ethereumjs/evm'
import type { Address } from '@ethereumjs/util'

import { MAX_INT64 } from '../../lib/int64.ts'
import { ExecutionError, TransferError } from './failure.ts'
import { isPrecompiled } from './precompiles.ts'

/** An operation that differs from the EVM's. */
export type CustomOpcode = NonNullable<EVMOpts['customOpcodes']>[number]

/** An operation that replaces one of the EVM's, or that the EVM does not have. */
export type AddOpcode = Extract<CustomOpcode, { logicFunction: unknown }>

/** What the EVM knows while it runs a frame. */
export type RunState = Parameters<AddOpcode['logicFunction']>[0]

/** Energy that comes with a call that sends coins or tokens, beyond what the caller gives it. */
export const STIPEND = 2_300n

/** The error of a call that cannot send its coins or tokens. The energy of the call comes back, with its stipend. */
export function refusedTransfer(runState: RunState, amount: bigint, reason: string): TransferError {
  if (amount > 0n) runState.interpreter.addStipend(STIPEND)
  return new TransferError(reason)
}

/** @throws TransferError, or ExecutionError for a precompiled contract, if the amount of a call is not an int64 */
export function assertAmount(runState: RunState, receiver: Address, amount: bigint): void {
  if (amount <= MAX_INT64) return
  if (isPrecompiled(receiver))
    throw new ExecutionError('BigInteger out of long range', 'java.lang.ArithmeticException')
  throw refusedTransfer(runState, amount, 'endowment out of long range')
}
