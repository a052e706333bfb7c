import type { TraceRequest } from '../../codec/traceRequest.ts'
import type { Unit } from '../../codec/unit.ts'
import { isObject } from '../../lib/isObject.ts'
import {
  type BlockOverride,
  blockOverride,
  requireOverrideNames,
  type StateOverride,
  stateOverride,
} from './overrides.ts'
import { boolean, maybe, member, type Param, PLAIN, quantity, show } from './params.ts'

/** The options of a trace. */
export type TraceParams = {
  request: TraceRequest
  /** Unit of the amounts in the trace. */
  unit: Unit
  /** Milliseconds. */
  timeout: number
}

/** Time limit of a trace, in milliseconds: geth's default. */
const TIMEOUT = 5_000

const TRACERS = ['callTracer', 'prestateTracer', '4byteTracer', 'muxTracer', 'noopTracer']

/** Characters of a tracer in JavaScript. That of an ERC-4337 bundler has 8,000. */
const LONGEST = 200_000

/** The trace options of geth's `debug_*` methods. */
export const traceParams: Param<TraceParams> = (input, { unit } = PLAIN) => {
  const options = traceOptions(input)
  const tracer = options['tracer'] ?? undefined
  return {
    request:
      tracer === undefined ? structLogs(options) : requestOf(tracer, options['tracerConfig']),
    unit,
    timeout: member(options, 'timeout', maybe(duration)) ?? TIMEOUT,
  }
}
traceParams.doc = {
  name: 'traceOptions',
  required: false,
  schema: { type: 'object' },
  description: `tracer (${TRACERS.join(', ')}, or an object in JavaScript as geth takes it; without one every operation is listed), tracerConfig, timeout, and for the list of operations disableStack, disableStorage, enableMemory, enableReturnData, limit; a node has only callTracer`,
}

/** The options of `debug_traceCall`. */
export type TraceCallParams = TraceParams & {
  accounts: StateOverride
  block: BlockOverride
  /** The call runs after this many transactions of its block. @default all of them */
  position: bigint | undefined
}

/** The trace options of a call, with state and block overrides. */
export const traceCallParams: Param<TraceCallParams> = (input, scope) => {
  const options = traceOptions(input)
  requireOverrideNames(options)
  return {
    ...traceParams(options, scope),
    accounts: member(options, 'stateOverrides', stateOverride, scope),
    block: member(options, 'blockOverrides', blockOverride),
    position: member(options, 'txIndex', maybe(quantity)),
  }
}
traceCallParams.doc = {
  ...traceParams.doc,
  description: `${traceParams.doc.description}; stateOverrides, blockOverrides, txIndex`,
}

/** An object with trace options, empty if there is none. @throws Error for anything else */
function traceOptions(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null) return {}
  if (!isObject(input)) throw new Error(`expected trace options, got ${show(input)}`)
  return input
}

function structLogs(options: Record<string, unknown>): TraceRequest {
  const flag = (name: string) => member(options, name, maybe(boolean))
  return {
    options: {
      disableStack: flag('disableStack'),
      disableStorage: flag('disableStorage'),
      enableMemory: flag('enableMemory'),
      enableReturnData: flag('enableReturnData'),
      limit: Number(member(options, 'limit', maybe(quantity)) ?? 0n),
    },
  }
}

/** As in geth, every text that is no name of a tracer is one. */
function requestOf(tracer: unknown, given: unknown): TraceRequest {
  if (typeof tracer !== 'string' || !/[{(]/.test(tracer)) return builtIn(tracer, given)
  if (tracer.length > LONGEST)
    throw new Error(`tracer: a tracer has at most ${LONGEST} characters, got ${tracer.length}`)
  return { tracer: 'javascript', code: tracer, config: JSON.stringify(given ?? {}) }
}

function builtIn(tracer: unknown, given: unknown): TraceRequest {
  const config = traceOptions(given)
  const flag = (name: string) => member(config, name, maybe(boolean))
  switch (tracer) {
    case 'callTracer':
      return {
        tracer,
        options: { onlyTopCall: flag('onlyTopCall'), withLog: flag('withLog') },
      }
    case 'prestateTracer':
      return {
        tracer,
        options: {
          diffMode: flag('diffMode'),
          disableCode: flag('disableCode'),
          disableStorage: flag('disableStorage'),
          includeEmpty: flag('includeEmpty'),
        },
      }
    case '4byteTracer':
    case 'noopTracer':
      return { tracer }
    case 'muxTracer':
      return {
        tracer,
        tracers: Object.entries(config).map(([name, inner]) => [name, builtIn(name, inner)]),
      }
    default:
      throw new Error(
        `tracer: expected one of ${TRACERS.join(', ')}, or an object in JavaScript, got ${show(tracer)}`,
      )
  }
}

const MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** A duration in Go's format (`5s`, `1m30s`), as milliseconds. */
const duration: Param<number> = (input) => {
  const parts = typeof input === 'string' ? [...input.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)] : []
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== input)
    throw new Error(`expected a duration such as 5s or 500ms, got ${show(input)}`)
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (MS[unit ?? ''] ?? 0), 0)
}
