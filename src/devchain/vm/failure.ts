import { EVMError } from '@ethereumjs/evm'

import type { EmptyRevert } from './emptyRevert.ts'

/** The failure of a run: the chain's result name, and the class and text of the node. */
export type Failure = {
  /** `contractRet` and `receipt.result`. */
  result: string
  /** Class name of the node's exception; absent for a revert. */
  exception?: string
  message: string
  /** Where a revert without data came from; absent if the caller of the run did not ask for it. */
  emptyRevert?: EmptyRevert | undefined
}

/** The operation at which the outermost frame stopped. */
export type LastStep = {
  name: string
  code: number
  /** Energy the operation asked for, and what was left. */
  cost: bigint
  left: bigint
  stackSize: number
  stackTop: bigint
}

const PROGRAM = 'org.tron.core.vm.program.Program$'

/** The run exceeded its time limit. */
export class TimeoutError extends EVMError {
  constructor() {
    super('cpu timeout' as ConstructorParameters<typeof EVMError>[0])
  }
}

/** RETURNDATACOPY reads beyond the data that the last call returned. */
export class ReturnDataError extends EVMError {
  readonly offset: bigint
  readonly size: bigint
  readonly available: bigint

  constructor(offset: bigint, size: bigint, available: bigint) {
    super('return data out of bounds' as ConstructorParameters<typeof EVMError>[0])
    this.offset = offset
    this.size = size
    this.available = available
  }
}

/** The coins or tokens of a call cannot be moved. The outermost frame keeps the energy that is left. */
export class TransferError extends EVMError {
  constructor(reason: string) {
    super(reason as ConstructorParameters<typeof EVMError>[0])
  }
}

/** Another exception by which the node ends a frame. */
export class ExecutionError extends EVMError {
  readonly exception: string

  constructor(reason: string, exception = `${PROGRAM}BytecodeExecutionException`) {
    super(reason as ConstructorParameters<typeof EVMError>[0])
    this.exception = exception
  }
}

/** A precompiled contract refused its input. */
export class PrecompileError extends EVMError {
  constructor() {
    super('precompiled contract failed' as ConstructorParameters<typeof EVMError>[0])
  }
}

/** The failure of a creation at an address that already has a contract or a nonce. The message is geth's. */
export const COLLISION: Failure = {
  result: 'UNKNOWN',
  exception: `${PROGRAM}BytecodeExecutionException`,
  message: 'contract address collision',
}

/** Number of operands by operation. Those of DUP, SWAP, LOG and PUSH follow from the opcode. */
const OPERANDS: readonly (readonly [count: number, codes: readonly number[]])[] = [
  [1, [0x15, 0x19, 0x31, 0x35, 0x3b, 0x3f, 0x40, 0x49, 0x50, 0x51, 0x54, 0x56, 0x5c, 0xd4, 0xff]],
  [3, [0x08, 0x09, 0x37, 0x39, 0x3e, 0x5e, 0xf0]],
  [4, [0x3c, 0xf5]],
  [6, [0xf4, 0xfa]],
  [7, [0xf1, 0xf2]],
  [8, [0xd0]],
]

/** The number of values that an operation takes from the stack. */
export function operandsOf(code: number): number {
  if (code >= 0x80 && code <= 0x8f) return code - 0x7f
  if (code >= 0x90 && code <= 0x9f) return code - 0x8e
  if (code >= 0xa0 && code <= 0xa4) return code - 0x9e
  return OPERANDS.find(([, codes]) => codes.includes(code))?.[0] ?? 2
}

/** Translates an EVM error into the node's text. */
export function toFailure(error: EVMError, step: LastStep | undefined, limit: bigint): Failure {
  const of = (result: string, exception: string, message: string): Failure => ({
    result,
    exception: PROGRAM + exception,
    message,
  })
  const op = step?.name ?? ''
  if (error instanceof ReturnDataError) {
    const { available, offset, size } = error
    return of(
      'UNKNOWN',
      'ReturnDataCopyIllegalBoundsException',
      `Illegal RETURNDATACOPY arguments: offset (${toWord(offset)}) + size (${toWord(size)}) > RETURNDATASIZE (${available})`,
    )
  }
  if (error instanceof TransferError) return of('TRANSFER_FAILED', 'TransferException', error.error)
  if (error instanceof ExecutionError)
    return { result: 'UNKNOWN', exception: error.exception, message: error.error }
  if (error instanceof PrecompileError)
    return of('PRECOMPILED_CONTRACT', 'PrecompiledContractException', 'invalid input')
  // The EVM appends the position to this text.
  const text = error.error as string
  switch (text.startsWith('invalid JUMP') ? 'invalid JUMP' : text) {
    case 'revert':
      return { result: 'REVERT', message: 'REVERT opcode executed' }
    case 'out of gas':
    case 'code store out of gas':
      if (!step) return of('OUT_OF_ENERGY', 'OutOfEnergyException', 'Not enough energy')
      // The code of a new contract is paid for after the last operation, which was itself affordable.
      if ((step.code === 0xf3 || step.code === 0x00) && step.cost <= step.left)
        return of(
          'OUT_OF_ENERGY',
          'OutOfEnergyException',
          "Not enough energy for 'save just created contract code' executing",
        )
      return of(
        'OUT_OF_ENERGY',
        'OutOfEnergyException',
        `Not enough energy for '${op}' operation executing: curInvokeEnergyLimit[${limit}], curOpEnergy[${step.cost}], usedEnergy[${limit - step.left}]`,
      )
    case 'invalid opcode':
      return of(
        'ILLEGAL_OPERATION',
        'IllegalOperationException',
        `Invalid operation code: opCode[${(step?.code ?? 0xfe).toString(16).padStart(2, '0')}];`,
      )
    case 'invalid JUMP':
      return of(
        'BAD_JUMP_DESTINATION',
        'BadJumpDestinationException',
        `Operation with pc isn't 'JUMPDEST': PC[${step?.stackTop ?? 0n}];`,
      )
    case 'stack underflow':
      return of(
        'STACK_TOO_SMALL',
        'StackTooSmallException',
        `Expected stack size ${operandsOf(step?.code ?? 0)} but actual ${step?.stackSize ?? 0};`,
      )
    case 'stack overflow':
      return of(
        'STACK_TOO_LARGE',
        'StackTooLargeException',
        'Expected: overflow 1024 elements stack limit',
      )
    case 'static state change':
      return of(
        'UNKNOWN',
        'StaticCallModificationException',
        'Attempt to call a state modifying opcode inside STATICCALL',
      )
    case 'invalid bytecode deployed':
      return of('INVALID_CODE', 'InvalidCodeException', 'invalid code: must not begin with 0xef')
    case 'cpu timeout':
      return of(
        'OUT_OF_TIME',
        'OutOfTimeException',
        `CPU timeout for '${op || 'JUMP'}' operation executing`,
      )
    default:
      return of('UNKNOWN', 'BytecodeExecutionException', text)
  }
}

function toWord(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}
