import { type CallRequest, callRequest } from './callParam.ts'
import { arrayOf, named, type Param, show } from './params.ts'

/** The parts of a replay, in Parity's words: frames, changes of the state, operations. */
export type TraceKind = 'trace' | 'stateDiff' | 'vmTrace'

const traceKind: Param<TraceKind> = (input) => {
  if (input === 'trace' || input === 'stateDiff' || input === 'vmTrace') return input
  throw new Error(`expected "trace", "stateDiff" or "vmTrace", got ${show(input)}`)
}

traceKind.doc = { name: 'traceType', schema: { enum: ['trace', 'stateDiff', 'vmTrace'] } }

/** The parts of a replay that a client asks for. */
export const traceKinds = named('traceTypes', arrayOf(traceKind))

/** A call, and the parts of its replay. */
export type ReplayedCall = { request: CallRequest; kinds: readonly TraceKind[] }

const replayedCall: Param<ReplayedCall> = (input, scope) => {
  if (!Array.isArray(input) || input.length !== 2)
    throw new Error(`expected [call, traceTypes], got ${show(input)}`)
  return { request: callRequest(input[0], scope), kinds: traceKinds(input[1], scope) }
}

replayedCall.doc = {
  name: 'call',
  schema: { type: 'array' },
  description: 'a call and the parts of its replay',
}

/** The calls of `trace_callMany`. */
export const replayedCalls = named('calls', arrayOf(replayedCall))
