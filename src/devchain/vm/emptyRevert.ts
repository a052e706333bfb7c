import type { EVM, EVMResult, Message } from '@ethereumjs/evm'

import { executedCode } from './delegation.ts'
import { native, type VmState } from './vmState.ts'

/** The frame from which a failure without revert data came: the innermost one, if each of its callers passed the failure on. */
export type EmptyRevert = {
  /** The code that ran in it. */
  code: Uint8Array
  input: Uint8Array
  value: bigint
  isCreation: boolean
  /** Why it reverted, if its operations show it. */
  cause?: RevertCause
}

/**
 * `notContract`: Solidity found no code at the account that it was to call. `noData`: the called account returned less than a
 * value. `notCalled`: the call was not made, for example because of the balance. `noGas`: the called contract ran out of gas.
 */
export type RevertCause = 'notContract' | 'noData' | 'notCalled' | 'noGas'

/** The end of the last call of a frame. */
type Child = {
  isMade: boolean
  failure?: string | undefined
  returned: number
  revert?: EmptyRevert | undefined
}

type Open = {
  message: Message
  code: Uint8Array
  /** Names of the operations since the last call. */
  names: string[]
  isCalling: boolean
  child?: Child
}

const NONE = new Uint8Array(0)

/** Most operations that are kept of a frame. The patterns below are shorter. */
const MOST_NAMES = 400

const CALLS = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL', 'CREATE', 'CREATE2'])

/** Operations that only move values and jump, as the compiler writes them between a check and its revert. */
const MOVES = String.raw`(?:(?:ISZERO|JUMP|JUMPI|JUMPDEST|POP|PUSH\d*|DUP\d*|SWAP\d*) )*`

/** The whole data of the last call is the data of the revert, as Solidity and proxies pass a failure on. */
const PASSED_ON = new RegExp(
  String.raw`RETURNDATACOPY (?:\S+ )*RETURNDATASIZE (?:(?:PUSH|DUP|SWAP)\d* )*REVERT$`,
)

/** The decoder of returned values found less than one word. */
const NO_DATA = new RegExp(String.raw`RETURNDATASIZE (?:\S+ )*S?LT ${MOVES}REVERT$`)

/** The compiler’s own check before a call, which a contract’s own check of a size does not look like. `NO_CODE`: EXTCODESIZE gave zero. */
const NOT_CONTRACT = /NO_CODE ISZERO DUP1 ISZERO PUSH\d+ JUMPI (?:PUSH\d+ DUP1|PUSH0 PUSH0) REVERT$/

/** Follows a run that reverts without data. The returned function gives its cause after the run. */
export function followEmptyRevert(
  events: EVM['events'],
  state: VmState,
): () => EmptyRevert | undefined {
  const open: Open[] = []
  let outermost: EmptyRevert | undefined

  events.on('beforeMessage', (message) => {
    const parent = open.at(-1)
    if (parent) parent.isCalling = false
    const code = message.to
      ? (executedCode(state.top(), native(message.codeAddress)) ?? NONE)
      : message.data
    open.push({ message, code, names: [], isCalling: false })
  })

  events.on('step', ({ opcode: { name }, stack }) => {
    const current = open.at(-1)
    if (!current) return
    const { names } = current
    if (current.isCalling) endCall(current, { isMade: false, returned: 0 })
    else if (names.at(-1) === 'EXTCODESIZE' && stack.at(-1) === 0n)
      names[names.length - 1] = 'NO_CODE'
    if (names.length === MOST_NAMES) names.splice(0, MOST_NAMES / 2)
    names.push(name)
    current.isCalling = CALLS.has(name)
  })

  events.on('afterMessage', ({ execResult }: EVMResult) => {
    const current = open.pop()
    const parent = open.at(-1)
    if (!current) return
    const failure = execResult.exceptionError?.error as string | undefined
    const returned = execResult.returnValue.length
    const revert = failure === 'revert' && returned === 0 ? revertOf(current) : undefined
    if (parent) endCall(parent, { isMade: true, failure, returned, revert })
    else outermost = revert
  })

  return () => outermost
}

function endCall(frame: Open, child: Child): void {
  frame.child = child
  frame.names.length = 0
  frame.isCalling = false
}

function revertOf({ child, code, message, names }: Open): EmptyRevert {
  const text = names.join(' ')
  const isPassedOn = child !== undefined && PASSED_ON.test(text)
  if (isPassedOn && child.revert) return child.revert
  const cause = causeOf(text, child, isPassedOn)
  return {
    code,
    input: message.data.slice(),
    value: message.value,
    isCreation: message.to === undefined,
    ...(cause && { cause }),
  }
}

function causeOf(
  text: string,
  child: Child | undefined,
  isPassedOn: boolean,
): RevertCause | undefined {
  if (isPassedOn && child?.isMade === false) return 'notCalled'
  if (isPassedOn && child?.failure === 'out of gas') return 'noGas'
  if (child?.isMade && !child.failure && child.returned < 32 && NO_DATA.test(text)) return 'noData'
  return NOT_CONTRACT.test(text) ? 'notContract' : undefined
}
