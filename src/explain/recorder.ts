import { AsyncLocalStorage } from 'node:async_hooks'

import type { NativeTransport } from '../native/transport.ts'

/** One native call that a request made. `ms`: milliseconds; `outcome`: the HTTP status, or `failed`. */
export type RecordedCall = { operation: string; outcome: string; ms: number }

/** Records the native calls that a piece of work makes, when it is asked to. */
export type CallRecorder = {
  /** The transport, watched. */
  transport: NativeTransport
  /** Runs work and tells which native calls it started. A call that it shares with other work belongs to who came first. */
  record<result>(work: () => Promise<result>): Promise<{ calls: RecordedCall[]; result: result }>
}

/** Costs one look-up a native call while nothing is recorded. */
export function createCallRecorder({
  now = () => performance.now(),
  transport,
}: createCallRecorder.Options): CallRecorder {
  const storage = new AsyncLocalStorage<RecordedCall[]>()

  return {
    transport: {
      async send(path, body, options) {
        const calls = storage.getStore()
        if (!calls) return transport.send(path, body, options)
        const started = now()
        const call: RecordedCall = { operation: path.slice(1), outcome: 'failed', ms: 0 }
        calls.push(call)
        try {
          const reply = await transport.send(path, body, options)
          call.outcome = String(reply.status)
          return reply
        } finally {
          call.ms = now() - started
        }
      },
      close: () => transport.close(),
    },
    async record(work) {
      const calls: RecordedCall[] = []
      const result = await storage.run(calls, work)
      return { calls, result }
    },
  }
}

export declare namespace createCallRecorder {
  type Options = {
    /** Milliseconds. @default performance.now */
    now?: () => number
    transport: NativeTransport
  }
}
