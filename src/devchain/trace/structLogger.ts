import { bytesToHex } from 'viem/utils'

import type { StructLoggerOptions } from '../../codec/traceRequest.ts'
import type { State } from '../state/state.ts'
import { slotKey, type VmState } from '../vm/vmState.ts'
import type { Frame, Step } from './frame.ts'
import { recordFrames } from './frames.ts'
import { word } from './touched.ts'
import type { Tracer } from './tracer.ts'

/** An operation in geth's format. */
type StructLog = {
  pc: number
  op: string
  gas: number
  gasCost: number
  /** 1 in the outermost frame. */
  depth: number
  error?: string
  stack?: string[]
  returnData?: string
  memory?: string[]
  storage?: Record<string, string>
}

/** The trace is too large for a client or for this process. */
export class TraceSizeError extends Error {
  override name = 'TraceSizeError'
}

/** Maximum number of characters of a trace. A string of Node.js has at most 512 million. */
export const MAX_SIZE = 200_000_000

/** The gas that a call with coins gets in addition. */
export const STIPEND = 2_300n
const SLOAD = 0x54
const SSTORE = 0x55

/** Errors that prevent an operation from starting. Geth reports them at the operation. */
const BEFORE = /^(out of gas|stack underflow|stack limit)/

/**
 * Geth's default tracer: every operation with stack, storage and, if requested, memory. As on Hardhat, each operation has all
 * slots that the run has used of its account; geth has them only at SLOAD and SSTORE. As on
 * Hardhat, whose clients compare texts, words have 64 digits and no `0x`.
 */
export function createStructLogger(options: StructLoggerOptions): Tracer {
  const { limit = 0 } = options
  const logs: StructLog[] = []
  /** The storage slots that the run has read or written so far, by account. */
  const known = new Map<string, Record<string, string>>()
  /** The last operation and the return data of the last call, by depth. */
  const last: (StructLog | undefined)[] = []
  const returned: (Uint8Array | undefined)[] = []
  let size = 0

  function storageAt({ address, code, stack }: Step, state: Pick<State, 'get'>) {
    const before = known.get(address) ?? NO_STORAGE
    if (code !== SLOAD && code !== SSTORE) return before
    if (stack.length < (code === SLOAD ? 1 : 2)) return before
    const slot = word(stack.at(-1) ?? 0n)
    const storage = { ...before }
    const key = slotKey(state, address, Buffer.from(slot, 'hex'))
    const value =
      code === SSTORE
        ? word(stack.at(-2) ?? 0n)
        : (state.get('storage', key) ?? '').padStart(64, '0')
    storage[slot] = value
    known.set(address, storage)
    return storage
  }

  function log(step: Step, state: VmState): void {
    last[step.depth] = undefined
    if (limit > 0 && logs.length >= limit) return
    const { cost, depth, gas, memory, name, pc, stack } = step
    const data = returned[depth]
    const entry: StructLog = {
      pc,
      op: name,
      gas: Number(gas),
      gasCost: Number(cost),
      depth: depth + 1,
      ...(!options.disableStack && { stack: stack.map(word) }),
      ...(options.enableReturnData && data && data.length > 0 && { returnData: bytesToHex(data) }),
      ...(options.enableMemory && memory.length > 0 && { memory: words(memory) }),
      ...(!options.disableStorage && { storage: storageAt(step, state.top()) }),
    }
    size += sizeOf(entry)
    if (size > MAX_SIZE)
      throw new TraceSizeError(
        'the trace is too large: set limit, or disableStack and disableStorage, or ask a tracer such as callTracer',
      )
    logs.push(entry)
    last[depth] = entry
  }

  function enter({ gas, kind, value = 0n }: Frame, depth: number): void {
    returned[depth] = undefined
    const caller = last[depth - 1]
    // In geth the gas that a call gets is part of its cost. The gas that a creation gets is not.
    if (!caller || kind.startsWith('CREATE') || kind === 'SELFDESTRUCT') return
    const isPaid = value > 0n && (kind === 'CALL' || kind === 'CALLCODE')
    caller.gasCost += Number(gas - (isPaid ? STIPEND : 0n))
  }

  function leave({ error, kind, output }: Frame, depth: number): void {
    const at = last[depth]
    if (at && error !== undefined && BEFORE.test(error)) at.error = error
    last[depth] = undefined
    const isCreation = kind.startsWith('CREATE')
    if (depth > 0 && kind !== 'SELFDESTRUCT')
      returned[depth - 1] = isCreation && error === undefined ? undefined : output
  }

  return {
    observe: (events, state) =>
      void recordFrames(events, state, { enter, leave, step: (step) => log(step, state) }),
    result: ({ failed, gasUsed, output }) => ({
      gas: Number(gasUsed),
      failed,
      returnValue: bytesToHex(output),
      structLogs: logs,
    }),
  }
}

const NO_STORAGE: Record<string, string> = {}

function words(memory: Uint8Array): string[] {
  const hex = Buffer.from(memory).toString('hex')
  return hex.match(/.{64}/g) ?? []
}

/** The approximate number of characters of an entry. */
function sizeOf({ memory = [], returnData = '', stack = [], storage = {} }: StructLog): number {
  const slots = Object.keys(storage).length
  return 80 + memory.length * 67 + returnData.length + stack.length * 67 + slots * 134
}
