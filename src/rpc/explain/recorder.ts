import { AsyncLocalStorage } from 'node:async_hooks'

import type { LogOrigin } from '../../chain/blocks/chainTypes.ts'
import { joinOrigins } from '../../chain/logs/origins.ts'
import { type Caller, seesNodes } from '../../limits/caller.ts'
import type { NativePath, NativeTransport } from '../../native/transport/transport.ts'
import type { Attributes, Headers, Span, Tracer } from './tracer.ts'

/**
 * One call to a node that a request made. `ms`: milliseconds; `outcome`: the HTTP status, `failed`, or `cancelled` when
 * another node was faster or the client has disconnected; `upstream`: the name of the node, absent for a chain in this process.
 */
export type RecordedCall = { operation: string; outcome: string; ms: number; upstream?: string }

/** Calls as a caller may see them: only operators see which nodes they went to. */
export function callsFor(caller: Caller | undefined, calls: RecordedCall[]): RecordedCall[] {
  return seesNodes(caller)
    ? calls
    : calls.map(({ ms, operation, outcome }) => ({ operation, outcome, ms }))
}

/** The headers of one call to a node, and the function to call at its end. */
export type CallWatch = {
  headers?: Readonly<Record<string, string>>
  /** @param outcome - HTTP status, or why there was no answer. */
  end(outcome: number | 'cancelled' | 'failed'): void
}

/** Ends a step of a call. @param failure - a word for what failed. */
export type EndStep = (failure?: string) => void

/**
 * Assigns native calls, Redis commands and cache reads to the request that caused them: for explanations, traces and the log.
 * It uses the asynchronous context (AsyncLocalStorage). On Node 20 that slows every promise of the process down, so it is
 * off while nothing is recorded.
 */
export type CallRecorder = ReturnType<typeof createCallRecorder>

/** What some work did: its native calls, and where the logs of its answers were found. */
export type Recorded<result> = { calls: RecordedCall[]; origins: LogOrigin[]; result: result }

/** Options of a call or batch: attributes and kind of its span, and the headers of its request. */
export type RunOptions = {
  attributes: Attributes
  headers: Headers | undefined
  kind: 'server' | 'internal'
}

type Work = {
  calls: RecordedCall[]
  origins: LogOrigin[]
  failure?: string
  /** The work that this belongs to: an explanation or a batch. */
  outer: Work | undefined
  span: Span | undefined
}

/** Creates a recorder. Without a tracer it only records native calls. */
export function createCallRecorder({
  now = () => performance.now(),
  tracer,
}: createCallRecorder.Options = {}) {
  const storage = new AsyncLocalStorage<Work>()
  let inFlight = 0

  async function during<result>(work: Work, task: () => Promise<result>): Promise<result> {
    inFlight++
    try {
      return await storage.run(work, task)
    } finally {
      if (--inFlight === 0) storage.disable()
    }
  }

  function call(path: NativePath, upstream?: string): CallWatch | undefined {
    const work = storage.getStore()
    if (!work) return undefined
    const operation = (path.split('?')[0] ?? path).slice(1)
    const named = upstream === undefined ? {} : { upstream }
    const recorded: RecordedCall = { operation, outcome: 'failed', ms: 0, ...named }
    for (let to: Work | undefined = work; to; to = to.outer) to.calls.push(recorded)
    const started = now()
    const span = work.span && tracer?.start(operation, spanOfCall(work.span, operation, upstream))
    return {
      ...(span && { headers: span.headers() }),
      end(outcome) {
        recorded.ms = now() - started
        recorded.outcome = String(outcome)
        if (typeof outcome === 'number') span?.set({ 'http.response.status_code': outcome })
        else span?.set({ 'error.type': outcome })
        const isFailed = typeof outcome === 'number' ? outcome >= 400 : outcome === 'failed'
        span?.end(isFailed ? recorded.outcome : undefined)
      },
    }
  }

  return {
    /** Runs work and returns the native calls that it started. A shared call belongs to the work that started it. */
    async record<result>(task: () => Promise<result>): Promise<Recorded<result>> {
      const outer = storage.getStore()
      const work: Work = { calls: [], origins: [], outer, span: outer?.span }
      const result = await during(work, task)
      return { result, calls: work.calls, origins: joinOrigins(work.origins) }
    },
    /** Runs a JSON-RPC call or a batch as a span, if there is a tracer. Records its native calls. */
    async run<result>(
      name: string,
      { attributes, headers, kind }: RunOptions,
      task: () => Promise<result>,
    ): Promise<result> {
      const outer = storage.getStore()
      const span = tracer?.start(name, { attributes, headers, kind, parent: outer?.span })
      const work: Work = { calls: [], origins: [], outer, span }
      try {
        return await during(work, task)
      } finally {
        span?.end(work.failure)
      }
    },
    /** Records where the logs of an answer were found. */
    logs(origins: readonly LogOrigin[]): void {
      for (let to = storage.getStore(); to; to = to.outer) to.origins.push(...origins)
    },
    /** Adds attributes to the span of the current call. */
    set: (attributes: Attributes) => storage.getStore()?.span?.set(attributes),
    /** Marks the span of the current call as failed. */
    fail(failure: string): void {
      const work = storage.getStore()
      if (work) work.failure = failure
    },
    /** Records a call to a node, which begins now. Undefined when nothing is recorded. */
    call,
    /** Starts a span below the current call, for work that is not a native call. Undefined without a trace. */
    step(name: string, kind: 'client' | 'internal', attributes: Attributes): EndStep | undefined {
      const parent = storage.getStore()?.span
      const span = parent && tracer?.start(name, { attributes, kind, parent })
      return span && ((failure) => span.end(failure))
    },
    /** Records the calls to a chain in this process. */
    watch: (transport: NativeTransport): NativeTransport => ({
      async send(path, body, options) {
        const watched = call(path)
        if (!watched) return transport.send(path, body, options)
        try {
          const reply = await transport.send(path, body, options)
          watched.end(reply.status)
          return reply
        } catch (error) {
          watched.end(options.signal?.aborted ? 'cancelled' : 'failed')
          throw error
        }
      },
      close: () => transport.close(),
    }),
  }
}

export declare namespace createCallRecorder {
  type Options = {
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** Makes spans. @default none */
    tracer?: Tracer | undefined
  }
}

function spanOfCall(parent: Span, operation: string, upstream: string | undefined) {
  const attributes = {
    'url.path': `/${operation}`,
    ...(upstream !== undefined && { 'ethgate.upstream': upstream }),
  }
  return { attributes, kind: 'client', parent } as const
}
