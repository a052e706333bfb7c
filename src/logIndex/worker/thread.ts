import type { Worker } from 'node:worker_threads'

import { within } from '../../lib/within.ts'
import { type Call, createCalls } from './calls.ts'
import { startThread } from './start.ts'

/** Milliseconds that a thread may take to end its work. */
const STOP_LIMIT = 3_000

/** A thread that is started again when it ends. */
export type Thread = {
  /** @throws Error when it is not running, or ends before it has answered */
  call: Call
  start(): void
  /** Calls it once more, so that it can end its work, and ends it. A second call waits for the first. */
  stop(call: string): Promise<void>
}

/** Creates a worker thread from a file beside this one. It runs after `start`. */
export function createThread({
  data,
  name,
  onError,
  onEvent,
  onStart = () => {},
  restartDelay,
}: createThread.Options): Thread {
  let calls: Call | undefined
  let thread: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let stopping: Promise<void> | undefined

  function start(): void {
    const started = startThread(name, data)
    thread = started
    calls = createCalls(started, onEvent)
    started.on('online', onStart)
    started.on('error', onError)
    started.on('exit', () => {
      calls = undefined
      if (!stopping) timer = setTimeout(start, restartDelay)
    })
  }

  return {
    start,
    async call(...call) {
      if (!calls) throw new Error('the thread of the log index is not running')
      return calls(...call)
    },
    stop(call) {
      clearTimeout(timer)
      return (stopping ??= (async () => {
        // A transaction that never ends, such as one of a server that does not answer, is abandoned.
        const ended = calls?.(call)
        if (ended) await within(ended, STOP_LIMIT, new Error('it does not end')).catch(() => {})
        await thread?.terminate()
      })())
    },
  }
}

export declare namespace createThread {
  type Options = {
    data: unknown
    name: 'reader' | 'writer'
    onError: (error: Error) => void
    onEvent?: ((event: unknown) => void) | undefined
    /** Called each time it was started. */
    onStart?: () => void
    /** Milliseconds. */
    restartDelay: number
  }
}
