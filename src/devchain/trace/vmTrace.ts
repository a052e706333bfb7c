import type { Hex } from 'viem'
import { bytesToHex } from 'viem/utils'

import { executedCode } from '../vm/delegation.ts'
import type { runVm } from '../vm/run.ts'
import type { VmState } from '../vm/vmState.ts'
import type { Frame, Step } from './frame.ts'
import { recordFrames } from './frames.ts'
import { sliceOf } from './memory.ts'
import { MAX_SIZE, STIPEND, TraceSizeError } from './structLogger.ts'

/** The operations of a frame, in Parity's format. */
export type VmTrace = { code: Hex; ops: VmOperation[] }

type VmOperation = {
  /** Of a call with the energy that the call gets. */
  cost: number
  /** What the operation did; null if it failed. */
  ex: {
    /** The part of the memory that it read or wrote. */
    mem: { data: Hex; off: number } | null
    push: Hex[]
    store: { key: Hex; val: Hex } | null
    /** The energy that is left. */
    used: number
  } | null
  op: string
  pc: number
  /** The operations of the call or creation; null if it ran no code. */
  sub: VmTrace | null
}

/** A running frame, with its last operation. */
type Open = { frame: Frame; trace?: VmTrace; last?: { op: VmOperation; step: Step } }

/** Traces operations as Parity does: what each pushed, used of the memory, wrote, and left. */
export function createVmTracer() {
  let open: Open[] = []
  let whole: VmTrace = { code: '0x', ops: [] }
  let size = 0

  function begin({ input, kind, to }: Frame, depth: number, state: VmState): VmTrace {
    const isCreation = kind.startsWith('CREATE')
    const code = isCreation ? input : executedCode(state.top(), to as string)
    const trace: VmTrace = { code: bytesToHex(code ?? new Uint8Array(0)), ops: [] }
    const caller = open[depth - 1]?.last
    if (caller) caller.op.sub = trace
    else whole = trace
    size += trace.code.length
    return trace
  }

  /** Completes the last operation of a frame. */
  function settle(current: Open | undefined, left: bigint, after?: Step): void {
    const { last } = current ?? {}
    if (!current || !last) return
    delete current.last
    const { code, stack } = last.step
    const [offset, length] = usedMemory(last.step)
    const memory = sliceOf(after?.memory ?? new Uint8Array(0), offset, length)
    const pushed = pushedBy(code)
    last.op.ex = {
      mem: after && memory.length > 0 ? { data: bytesToHex(memory), off: Number(offset) } : null,
      push: after && pushed > 0 ? after.stack.slice(-pushed).map(hex) : [],
      store: code === SSTORE ? { key: hex(stack.at(-1)), val: hex(stack.at(-2)) } : null,
      used: Number(left),
    }
    size += 160 + pushed * 70 + memory.length * 2
    if (size > MAX_SIZE) throw new TraceSizeError('the trace is too large: leave vmTrace out')
  }

  return {
    observe: (...[events, state]: Parameters<runVm.Observe>): void =>
      void recordFrames(events, state, {
        enter(frame, depth) {
          const caller = open[depth - 1]?.last?.op
          const { gas, kind, value = 0n } = frame
          if (caller && !kind.startsWith('CREATE') && kind !== 'SELFDESTRUCT') {
            const isPaid = value > 0n && (kind === 'CALL' || kind === 'CALLCODE')
            caller.cost += Number(gas - (isPaid ? STIPEND : 0n))
          }
          open = [...open.slice(0, depth), { frame }]
        },
        step(step) {
          const current = open[step.depth] as Open
          settle(current, step.gas, step)
          current.trace ??= begin(current.frame, step.depth, state)
          const { cost, name, pc } = step
          const op: VmOperation = { cost: Number(cost), ex: null, op: name, pc, sub: null }
          current.trace.ops.push(op)
          current.last = { op, step: { ...step, stack: [...step.stack] } }
        },
        leave({ error }, depth) {
          const { last } = open[depth] ?? {}
          if (last && (error === undefined || last.step.code === REVERT))
            settle(open[depth], last.step.gas - last.step.cost)
          open = open.slice(0, depth)
        },
      }),
    result: (): VmTrace => whole,
  }
}

const MSTORE8 = 0x53
const SSTORE = 0x55
const REVERT = 0xfd

const hex = (value = 0n): Hex => `0x${value.toString(16)}`

/** Operations that push nothing. */
const PUSH_NOTHING = new Set([
  0x00, 0x37, 0x39, 0x3c, 0x3e, 0x50, 0x52, 0x53, 0x55, 0x56, 0x57, 0x5b, 0x5d, 0x5e, 0xa0, 0xa1,
  0xa2, 0xa3, 0xa4, 0xf3, 0xfd, 0xfe, 0xff,
])

/** The number of values that Parity lists as pushed: with DUP and SWAP, all down to the one that it used. */
function pushedBy(code: number): number {
  if (code >= 0x80 && code <= 0x8f) return code - 0x7e
  if (code >= 0x90 && code <= 0x9f) return code - 0x8e
  return PUSH_NOTHING.has(code) ? 0 : 1
}

/** The places on the stack of the part of the memory that operations read or write. */
const MEMORY: Readonly<Record<number, readonly [offset: number, length: number]>> = {
  0x37: [0, 2],
  0x39: [0, 2],
  0x3c: [1, 3],
  0x3e: [0, 2],
  0x5e: [0, 2],
  0xd0: [6, 7],
  0xf1: [5, 6],
  0xf2: [5, 6],
  0xf4: [4, 5],
  0xfa: [4, 5],
}

function usedMemory({ code, stack }: Step): readonly [offset: bigint, length: bigint] {
  const at = (place: number) => stack.at(-1 - place) ?? 0n
  if (code === 0x51 || code === 0x52) return [at(0), 32n]
  if (code === MSTORE8) return [at(0), 1n]
  const places = MEMORY[code]
  return places ? [at(places[0]), at(places[1])] : [0n, 0n]
}
