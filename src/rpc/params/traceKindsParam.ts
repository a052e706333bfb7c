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
