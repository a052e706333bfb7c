import { loadOptionalPart } from '../../lib/optionalPart.ts'
import type { Tracer } from '../../rpc/explain/tracer.ts'
import type { Log } from '../log.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * A tracer when the standard variables of OpenTelemetry ask for one: `OTEL_TRACES_EXPORTER` is `otlp` or `console`, or an
 * OTLP endpoint is named. Otherwise undefined, and nothing of the SDK is loaded.
 */
export async function openTracer(env: Environment, log: Log): Promise<Tracer | undefined> {
  const exporter = exporterIn(env)
  if (exporter === undefined) return undefined
  if (exporter !== 'otlp' && exporter !== 'console') {
    log.warn({ exporter }, 'no traces: OTEL_TRACES_EXPORTER may be otlp, console or none')
    return undefined
  }
  const protocol =
    env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'] || PROTOBUF
  if (protocol !== PROTOBUF && protocol !== JSON_TEXT) {
    log.warn({ protocol }, `no traces: the OTLP protocol may be ${PROTOBUF} or ${JSON_TEXT}`)
    return undefined
  }
  const { createTracer } = await loadOptionalPart(() => import('./openTelemetry.ts'))
  return createTracer({ encoding: protocol === PROTOBUF ? 'protobuf' : 'json', exporter, log })
}

const PROTOBUF = 'http/protobuf'
const JSON_TEXT = 'http/json'

function exporterIn(env: Environment): string | undefined {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return undefined
  const named = env['OTEL_TRACES_EXPORTER']?.trim()
  if (named === 'none') return undefined
  if (named) return named
  const endpoint = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || env['OTEL_EXPORTER_OTLP_ENDPOINT']
  return endpoint ? 'otlp' : undefined
}
