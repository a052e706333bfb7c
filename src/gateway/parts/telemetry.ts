import { createTraffic, type Gauges, SAMPLE, type Traffic } from '../../http/page/traffic.ts'
import { RpcError } from '../../lib/errors.ts'
import { createLoopWatch, type LoopWatch } from '../../lib/loopWatch.ts'
import { markOutcome, traced, tracedBatch } from '../../rpc/explain/calls.ts'
import { type CallRecorder, createCallRecorder } from '../../rpc/explain/recorder.ts'
import type { Tracer } from '../../rpc/explain/tracer.ts'
import type { RpcCall, RpcMiddleware } from '../../rpc/jsonrpc/call.ts'
import { observed, timed } from '../../rpc/jsonrpc/middleware.ts'
import type { AroundBatch } from '../../rpc/jsonrpc/server.ts'
import { ClientGoneError } from '../../rpc/request.ts'
import type { Log } from '../log.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import { createRequestLog, type RequestLog } from './requestLog.ts'

/** What a gateway records of its calls: log lines, metrics, figures of the state page, spans. */
export type Telemetry = {
  readonly log: Log
  readonly loop: LoopWatch
  readonly metrics: Metrics
  readonly recorder: CallRecorder
  /** Starts a child span of the current call; undefined when calls are not traced. */
  readonly step: CallRecorder['step'] | undefined
  /** Logs a line for each request; undefined unless the log shows debug lines. */
  readonly trace: RequestLog['trace']
  readonly traffic: Traffic
  /** What wraps every call, around the limits: spans when calls are traced, and the record of its outcome. */
  readonly outer: readonly RpcMiddleware[]
  /** What wraps every call that runs: its time. */
  readonly inner: readonly RpcMiddleware[]
  /** Makes a span of each batch; undefined when calls are not traced. */
  readonly aroundBatch: AroundBatch | undefined
  /** Logs an error. An `RpcError` is logged at debug level. */
  readonly onError: (error: unknown, message: string) => void
  /** Starts to sample the gauges of the state page. */
  start(): void
  stop(): void
}

/** Creates the records of one gateway. */
export function createTelemetry({ gauges, log, slow, tracer }: createTelemetry.Options): Telemetry {
  const metrics = createMetrics()
  const recorder = createCallRecorder({ tracer })
  const traffic = createTraffic({ gauges })
  const requestLog = createRequestLog({ log, slow })
  const loop = createLoopWatch({
    onBlocked: ({ method, ms }) =>
      log.warn({ method, ms: Math.round(ms) }, 'the event loop was blocked'),
    onDelay: (ms) => metrics.loopDelay.observe(ms / 1000),
  })
  let sampling: NodeJS.Timeout | undefined

  function observe(call: RpcCall) {
    // A page expects that calls of its own fail, such as those of a contract that is no token. Its visitor sees no error.
    const code = call.caller ? call.code : 0
    metrics.call(call.method, code, call.ms / 1000)
    traffic.call(call.method, code, call.ms)
    requestLog.call(call)
    markOutcome(recorder, call)
  }

  return {
    log,
    loop,
    metrics,
    recorder,
    step: tracer && ((...step) => recorder.step(...step)),
    trace: requestLog.trace,
    traffic,
    outer: [...(tracer ? [traced(recorder)] : []), observed(observe)],
    inner: [timed(loop)],
    aroundBatch: tracer && tracedBatch(recorder),
    onError(error, message) {
      if (error instanceof ClientGoneError) return
      if (error instanceof RpcError) log.debug({ err: error }, message)
      else log.error({ err: error }, message)
    },
    start() {
      sampling = setInterval(() => traffic.sample(), SAMPLE * 1_000).unref()
    },
    stop() {
      clearInterval(sampling)
      loop.stop()
    },
  }
}

export declare namespace createTelemetry {
  type Options = {
    /** Values of the state page other than calls, by label. */
    gauges: () => Gauges
    log: Log
    /** Calls that take this many milliseconds or longer are logged; 0 for none. */
    slow: number
    /** Creates spans for calls. @default none */
    tracer: Tracer | undefined
  }
}
