import type { Unit } from '../../codec/unit.ts'
import { isObject } from '../../lib/isObject.ts'
import { boolean, maybe, member, type Param, PLAIN, show } from './params.ts'

/** The options of `debug_trace…` for a node that records only internal transactions. */
export type CallTracerRequest = {
  onlyTopCall: boolean
  /** The unit of the amounts in the answer. */
  unit: Unit
}

/** The trace options of geth; only `callTracer` is supported. */
export const callTracerOptions: Param<CallTracerRequest> = (input, { unit } = PLAIN) => {
  const options = traceOptions(input)
  if (options['tracer'] !== 'callTracer')
    throw new Error(
      'the node records calls but no opcodes: the only supported tracer is {"tracer": "callTracer"}',
    )
  const config = traceOptions(options['tracerConfig'])
  const flag = (name: string) => member(config, name, maybe(boolean)) ?? false
  if (flag('withLog'))
    throw new Error('withLog: the node does not record which call emitted a log; read the receipt')
  return { onlyTopCall: flag('onlyTopCall'), unit }
}
callTracerOptions.doc = {
  name: 'traceOptions',
  schema: {
    type: 'object',
    properties: {
      tracer: { const: 'callTracer' },
      tracerConfig: { type: 'object', properties: { onlyTopCall: { type: 'boolean' } } },
    },
    required: ['tracer'],
  },
}

/** An object with trace options, empty if there is none. @throws Error for anything else */
export function traceOptions(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null) return {}
  if (!isObject(input)) throw new Error(`expected trace options, got ${show(input)}`)
  return input
}
