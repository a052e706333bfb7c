import { createTraffic, type Gauges, SAMPLE } from '../../http/page/traffic.ts'
import { RpcError } from '../../lib/errors.ts'
import { createLoopWatch } from '../../lib/loopWatch.ts'
import { markOutcome, traced, tracedBatch } from '../../rpc/explain/calls.ts'
import { createCallRecorder } from '../../rpc/explain/recorder.ts'
import type { Tracer } from '../../rpc/explain/tracer.ts'
import type { RpcCall } from '../../rpc/jsonrpc/call.ts'
import { observed, timed } from '../../rpc/jsonrpc/middleware.ts'
import { ClientGoneError } from '../../rpc/request.ts'
import type { Log } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import { createRequestLog } from './requestLog.ts'

/** What a gateway records of its calls: log lines, metrics, figures of the state page, spans. */
export type Telemetry = ReturnType<typeof createTelemetry>

/** Creates the records of one gateway. */
export function createTelemetry({ gauges, log, slow, tracer }: createTelemetry.Options) {
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
    /** Starts a child span of the current call; undefined when calls are not traced. */
    step: tracer && ((...step: Parameters<typeof recorder.step>) => recorder.step(...step)),
    /** Logs a line for each request; undefined unless the log shows debug lines. */
    trace: requestLog.trace,
    traffic,
    /** What wraps every call, around the limits: spans when calls are traced, and the record of its outcome. */
    outer: [...(tracer ? [traced(recorder)] : []), observed(observe)],
    /** What wraps every call that runs: its time. */
    inner: [timed(loop)],
    /** Makes a span of each batch; undefined when calls are not traced. */
    aroundBatch: tracer && tracedBatch(recorder),
    /** Logs an error. An `RpcError` is logged at debug level. */
    onError: (error: unknown, message: string) => {
      if (error instanceof ClientGoneError) return
      if (error instanceof RpcError) log.debug({ err: error }, message)
      else log.error({ err: error }, message)
    },
    /** Starts to sample the gauges of the state page. */
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
