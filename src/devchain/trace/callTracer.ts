import type { Address, Hash, Hex } from 'viem'
import { bytesToHex, numberToHex } from 'viem/utils'

import type { CallFrame, CallLog } from '../../codec/callFrame.ts'
import { revertReason } from '../../codec/revert.ts'
import type { CallTracerOptions } from '../../codec/traceRequest.ts'
import type { Unit } from '../../codec/unit.ts'
import type { runVm } from '../vm/run.ts'
import type { Frame, FrameLog } from './frame.ts'
import { recordFrames } from './frames.ts'
import type { TracedRun } from './tracer.ts'

/**
 * Creates a tracer of the tree of frames.
 *
 * @param print - makes the trace of the outermost frame. If the EVM ran no code, that is the `plain` frame of the run.
 * @param isWhole - whether the gas of the outermost frame is that of the transaction, with its intrinsic gas, as geth prints it. Parity's
 *   traces have the gas of the frame alone.
 */
export function createFrameTracer<trace>(print: (frame: Frame) => trace, isWhole = true) {
  let root: () => Frame | undefined = () => undefined
  return {
    observe: (...[events, state]: Parameters<runVm.Observe>): void => {
      ;({ root } = recordFrames(events, state))
    },
    result({ gas, gasUsed = 0n, plain }: Pick<TracedRun, 'plain'> & Partial<TracedRun>): trace {
      const frame = root()
      if (!frame) return print(plain)
      return print(isWhole && gas !== undefined ? { ...frame, gas, gasUsed } : frame)
    },
  }
}

/** A frame without calls of precompiled contracts, which Parity's traces omit. */
export function withoutBuiltIns(frame: Frame): Frame {
  const calls = frame.calls
    .filter(({ isBuiltIn, kind }) => !isBuiltIn || (kind !== 'CALL' && kind !== 'STATICCALL'))
    .map(withoutBuiltIns)
  return { ...frame, calls }
}

/** A frame in geth's format. */
export function printFrame(
  frame: Frame,
  { onlyTopCall = false, withLog = false }: CallTracerOptions,
  unit: Unit,
): CallFrame {
  let index = 0

  function print(frame: Frame): CallFrame {
    const { calls, error, from, gas, gasUsed, input, kind, logs, output, to, value } = frame
    const data = bytesToHex(output)
    const reason = error === 'execution reverted' ? revertReason(data) : undefined
    // Logs are counted in the order of execution, between the calls of their frame.
    const printedLogs: CallLog[] = []
    const printedCalls: CallFrame[] = []
    for (let position = 0; position <= calls.length; position++) {
      for (const log of logs)
        if (log.position === position) printedLogs.push(printLog(log, index++))
      const call = calls[position]
      if (call) printedCalls.push(print(call))
    }
    return {
      from: plain(from),
      gas: numberToHex(gas),
      gasUsed: numberToHex(gasUsed),
      ...(to !== undefined && { to: plain(to) }),
      input: bytesToHex(input),
      ...(output.length > 0 && { output: data }),
      ...(error !== undefined && { error }),
      ...(reason !== undefined && { revertReason: reason }),
      ...(printedCalls.length > 0 && !onlyTopCall && { calls: printedCalls }),
      ...(printedLogs.length > 0 && withLog && { logs: printedLogs }),
      ...(value !== undefined && { value: numberToHex(unit.fromSun(value)) }),
      type: kind,
    }
  }
  return print(frame)
}

/** An address of 42 hex characters in Ethereum's format. */
export const plain = (address: string): Address => `0x${address.slice(2)}`

function printLog({ address, data, position, topics }: FrameLog, index: number): CallLog {
  return {
    address: plain(address),
    topics: topics.map((topic): Hash => `0x${topic}`),
    data: `0x${data}` satisfies Hex,
    index: numberToHex(index),
    position: numberToHex(position),
  }
}
