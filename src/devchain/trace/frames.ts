import type { EVM, EVMResult, Message } from '@ethereumjs/evm'

import type { CallKind } from '../../codec/callFrame.ts'
import { executedCode } from '../vm/delegation.ts'
import { native, type VmState } from '../vm/vmState.ts'
import { failureText } from './failure.ts'
import type { Frame, FrameLog, Step } from './frame.ts'
import { sliceOf } from './memory.ts'
import { unreportedFrame } from './unreportedFrame.ts'

/** Listens to a run. Its functions are called in the order of execution. */
export type FrameListener = {
  enter?(frame: Frame, depth: number): void
  step?(step: Step): void
  leave?(frame: Frame, depth: number): void
}

/** A running frame, its last operation, and the frame of that operation, which is recorded if the EVM reports none. */
type Open = {
  frame: Frame
  message: Message
  code?: Uint8Array
  last?: Step
  unreported?: Frame | undefined
}

const NONE = new Uint8Array(0)

/**
 * Records the frames of a run as a tree, with logs, destructions, and calls that failed at once because of an insufficient
 * balance or their depth.
 */
export function recordFrames(
  events: EVM['events'],
  state: VmState,
  listener: FrameListener = {},
): { root: () => Frame | undefined } {
  const open: Open[] = []
  let root: Frame | undefined

  events.on('beforeMessage', (message) => {
    const parent = open.at(-1)
    const frame = frameOf(message, parent?.unreported?.kind)
    if (parent) {
      parent.unreported = undefined
      parent.frame.calls.push(frame)
    } else root = frame
    open.push({ frame, message, ...(!message.to && { code: message.data }) })
    listener.enter?.(frame, open.length - 1)
  })

  events.on('step', ({ address, codeAddress, gasLeft, memory, opcode, pc, stack }) => {
    const current = open.at(-1)
    if (!current) return
    recordUnreported(current)
    let { code, name } = opcode
    if (name === 'INVALID') {
      // The EVM reports every undefined byte as INVALID.
      current.code ??= executedCode(state.top(), native(codeAddress)) ?? NONE
      code = current.code[pc] ?? code
      if (code !== opcode.code) name = `opcode 0x${code.toString(16)} not defined`
    }
    const cost = opcode.dynamicFee ?? BigInt(opcode.fee)
    const depth = open.length - 1
    const step: Step = {
      pc,
      name,
      code,
      gas: gasLeft,
      cost,
      stack,
      memory,
      depth,
      address: native(address),
    }
    if (code >= 0xa0 && code <= 0xa4) current.frame.logs.push(logOf(step, current.frame))
    current.last = step
    current.unreported = unreportedFrame(step, current.frame, state)
    listener.step?.(step)
  })

  events.on('afterMessage', ({ createdAddress, execResult }: EVMResult) => {
    const current = open.at(-1) as Open
    const { frame, last, message } = current
    const error = execResult.exceptionError
    if (!error) recordUnreported(current)
    open.pop()
    frame.gasUsed = execResult.executionGasUsed
    frame.isBuiltIn = message.isCompiled
    if (!error || error.error === 'revert') frame.output = execResult.returnValue
    if (error) {
      frame.error = failureText(error, last)
      dropLogs(frame)
    } else if (createdAddress) frame.to = native(createdAddress)
    listener.leave?.(frame, open.length)
  })

  /** Records the frame of the last operation if the EVM reported none. */
  function recordUnreported(current: Open): void {
    const { unreported, frame } = current
    if (!unreported) return
    current.unreported = undefined
    frame.calls.push(unreported)
    listener.enter?.(unreported, open.length)
    listener.leave?.(unreported, open.length)
  }

  return { root: () => root }
}

function frameOf(message: Message, kind: CallKind | undefined): Frame {
  const { gasLimit: gas, to, value } = message
  // A copy, because the data is a view of the caller's memory, which changes.
  const input = message.data.slice()
  const from = native(message.caller)
  const common = { gas, gasUsed: 0n, input, output: NONE, calls: [], logs: [] }
  if (!to) return { ...common, kind: message.salt ? 'CREATE2' : 'CREATE', from, value }
  const called = { ...common, to: native(message.codeAddress) }
  if (kind === 'STATICCALL') return { ...called, kind, from }
  if (kind === 'DELEGATECALL') return { ...called, kind, from: native(to), value }
  return { ...called, kind: kind === 'CALLCODE' ? kind : 'CALL', from, value }
}

function logOf({ address, code, memory, stack }: Step, frame: Frame): FrameLog {
  const [offset = 0n, length = 0n, ...topics] = stack.slice(-2 - (code - 0xa0)).toReversed()
  return {
    address,
    topics: topics.map((topic) => topic.toString(16).padStart(64, '0')),
    data: Buffer.from(sliceOf(memory, offset, length)).toString('hex'),
    position: frame.calls.length,
  }
}

/** Removes the logs of a failed frame and of all frames inside it. */
function dropLogs(frame: Frame): void {
  frame.logs = []
  for (const call of frame.calls) dropLogs(call)
}
