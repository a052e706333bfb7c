import { EVMError } from '@ethereumjs/evm'

/** How a run failed: the chain's result name, the class and text that the node reports. */
export type Failure = {
  /** `contractRet` and `receipt.result`. */
  result: string
  /** Class name of the node's exception; absent for a revert. */
  exception?: string
  message: string
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

/** An endless loop met the time limit. */
export class TimeoutError extends EVMError {
  constructor() {
    super('cpu timeout' as ConstructorParameters<typeof EVMError>[0])
  }
}

/** Translates an EVM error into the node's words. */
export function toFailure(error: EVMError, step: LastStep | undefined, limit: bigint): Failure {
  const of = (result: string, exception: string, message: string): Failure => ({
    result,
    exception: PROGRAM + exception,
    message,
  })
  const op = step?.name ?? ''
  // The EVM adds the place to this one.
  const text = error.error as string
  switch (text.startsWith('invalid JUMP') ? 'invalid JUMP' : text) {
    case 'revert':
      return { result: 'REVERT', message: 'REVERT opcode executed' }
    case 'out of gas':
    case 'code store out of gas':
      if (!step || step.code === 0xf3 || step.code === 0x00)
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
        `Expected stack size ${(step?.stackSize ?? 0) + 1} but actual ${step?.stackSize ?? 0};`,
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
