import {
  type Context,
  diag,
  DiagLogLevel,
  type Span as OtelSpan,
  SpanKind,
  SpanStatusCode,
  ROOT_CONTEXT,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api'
import {
  CompositePropagator,
  diagLogLevelFromString,
  getStringFromEnv,
  getStringListFromEnv,
  W3CBaggagePropagator,
  W3CTraceContextPropagator,
} from '@opentelemetry/core'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'

import { VERSION } from '../../lib/version.ts'
import type { Headers, Span, StartOptions, Tracer } from '../../rpc/explain/tracer.ts'
import type { Log } from '../log.ts'

/** Milliseconds for the export of the last spans when the process ends. */
const FLUSH = 1_000

/** The same message of the SDK is logged at most once in this many milliseconds. */
const QUIET = 60_000

/** A tracer over the OpenTelemetry SDK, which reads its standard variables. Imported only when traces are on. */
export function createTracer({ encoding, exporter, log }: createTracer.Options): Tracer {
  const level = diagLogLevelFromString(getStringFromEnv('OTEL_LOG_LEVEL')) ?? DiagLogLevel.WARN
  diag.setLogger(quietLogger(log), { logLevel: level, suppressOverrideMessage: true })
  const spanExporter = exporter === 'console' ? new ConsoleSpanExporter() : otlp(encoding)
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'ethgate',
      'service.version': VERSION,
    }).merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(spanExporter)],
  })
  const tracer = provider.getTracer('ethgate', VERSION)
  const propagator = propagatorOf(getStringListFromEnv('OTEL_PROPAGATORS'))

  function parentOf({ headers, parent }: StartOptions): Context {
    if (parent) return (parent as TracedSpan).context
    return headers ? propagator.extract(ROOT_CONTEXT, headers, HEADERS) : ROOT_CONTEXT
  }

  return {
    start(name, options): Span {
      const outer = parentOf(options)
      const { attributes = {}, kind } = options
      const span = tracer.startSpan(name, { attributes, kind: KINDS[kind] }, outer)
      return tracedSpan(span, trace.setSpan(outer, span), propagator)
    },
    async stop() {
      const stopped = provider.shutdown().catch((error: unknown) => {
        log.warn({ err: error }, 'the last traces could not be exported')
      })
      await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, FLUSH).unref())])
    },
  }
}

export declare namespace createTracer {
  type Options = { encoding: 'json' | 'protobuf'; exporter: 'console' | 'otlp'; log: Log }
}

type TracedSpan = Span & { readonly context: Context }

function tracedSpan(span: OtelSpan, context: Context, propagator: TextMapPropagator): TracedSpan {
  return {
    context,
    headers() {
      const headers: Record<string, string> = {}
      propagator.inject(context, headers, {
        set(carrier, name, value) {
          carrier[name] = value
        },
      })
      return headers
    },
    set: (attributes) => void span.setAttributes(attributes),
    end(failure) {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
      span.end()
    },
  }
}

const KINDS = {
  client: SpanKind.CLIENT,
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
}

const HEADERS = {
  get: (headers: Headers, name: string) => headers[name],
  keys: (headers: Headers) => Object.keys(headers),
}

/** `OTEL_PROPAGATORS`: `tracecontext` and `baggage` are known; `none` reads and sends neither. */
function propagatorOf(names: string[] | undefined): TextMapPropagator {
  const wanted = names ?? ['tracecontext', 'baggage']
  return new CompositePropagator({
    propagators: [
      ...(wanted.includes('tracecontext') ? [new W3CTraceContextPropagator()] : []),
      ...(wanted.includes('baggage') ? [new W3CBaggagePropagator()] : []),
    ],
  })
}

function otlp(encoding: 'json' | 'protobuf'): SpanExporter {
  return encoding === 'json' ? new JsonExporter() : new ProtobufExporter()
}

/** Logs each problem of the SDK, such as a collector that does not answer, at most once a minute. */
function quietLogger(log: Log) {
  const logged = new Map<string, number>()
  const at =
    (level: 'debug' | 'warn') =>
    (message: string, ...details: unknown[]) => {
      const last = logged.get(message)
      const now = performance.now()
      if (last !== undefined && now - last < QUIET) return
      if (logged.size > 100) logged.clear()
      logged.set(message, now)
      const [detail] = details
      const reason = detail instanceof Error ? detail.message : detail
      log[level]({ ...(reason !== undefined && { reason }) }, `OpenTelemetry: ${message}`)
    }
  return {
    debug: at('debug'),
    error: at('warn'),
    info: at('debug'),
    verbose: at('debug'),
    warn: at('warn'),
  }
}
