import type { TraceRequest } from '../../codec/traceRequest.ts'
import type { Unit } from '../../codec/unit.ts'
import type { Turn } from '../../lib/turn.ts'
import type { runVm } from '../vm/run.ts'
import { createFrameTracer, printFrame } from './callTracer.ts'
import { countSelectors } from './fourByteTracer.ts'
import type { Sandbox } from './javascript/sandbox.ts'
import { createJavaScriptTracer } from './javascript/tracer.ts'
import { createPrestateTracer } from './prestateTracer.ts'
import { createStructLogger } from './structLogger.ts'
import { type Tracer, TraceTimeoutError } from './tracer.ts'

/** Creates the requested tracer. Amounts are printed in `unit`. A tracer in JavaScript needs a sandbox. */
export function createTracer(request: TraceRequest, unit: Unit, sandbox?: Sandbox): Tracer {
  if (request.tracer === 'javascript')
    return createJavaScriptTracer(request, sandbox as Sandbox, unit)
  if (request.tracer === undefined) return createStructLogger(request.options)
  if (request.tracer === 'callTracer')
    return createFrameTracer((frame) => printFrame(frame, request.options, unit))
  if (request.tracer === 'prestateTracer') return createPrestateTracer(request.options, unit)
  if (request.tracer === 'muxTracer') return createMuxTracer(request.tracers, unit)
  if (request.tracer === '4byteTracer') return createFrameTracer((frame) => countSelectors(frame))
  return { observe: () => undefined, result: () => ({}) }
}

/** Runs several tracers. The result has the trace of each by name. */
function createMuxTracer(
  requests: readonly (readonly [name: string, request: TraceRequest])[],
  unit: Unit,
): Tracer {
  const tracers = requests.map(([name, request]) => [name, createTracer(request, unit)] as const)
  return {
    observe(...run) {
      for (const [, tracer] of tracers) tracer.observe(...run)
    },
    result: (run) =>
      Object.fromEntries(tracers.map(([name, tracer]) => [name, tracer.result(run)])),
  }
}

/** The clock is checked at the operations whose count has none of these bits: each 256th. */
const CHECK_MASK = 0xff

/** Wraps an observer so that it throws TraceTimeoutError when the work of the turn is past `end`. */
export function observeUntil(turn: Turn, end: number, observe: runVm.Observe): runVm.Observe {
  return (events, ...run) => {
    let steps = 0
    events.on('step', () => {
      if ((++steps & CHECK_MASK) === 0 && (turn.used() > end || turn.left() < 0))
        throw new TraceTimeoutError('execution timeout')
    })
    observe(events, ...run)
  }
}
