import type { Worker } from 'node:worker_threads'

import { startThread } from '../../lib/startThread.ts'
import { type Call, createCalls } from '../../lib/threadCalls.ts'
import { within } from '../../lib/within.ts'

/** Milliseconds that a thread may take to end its work. */
const STOP_LIMIT = 3_000

/** The delay before a restart is at most 32 times the first: opening a large index that is damaged takes a core for a while. */
const MOST_DOUBLINGS = 5

/** A thread that is started again when it ends. */
export type Thread = ReturnType<typeof createThread>

/** Creates a worker thread from a file beside this one. It runs after `start`. */
export function createThread({
  data,
  name,
  onError,
  onEvent,
  onStart = () => {},
  restartDelay,
}: createThread.Options) {
  let calls: Call | undefined
  let thread: Worker | undefined
  let timer: NodeJS.Timeout | undefined
  let stopping: Promise<void> | undefined
  /** Whether it has sent something: its modules are loaded, so it may have work. */
  let isReady = false
  /** Ends in a row before it was ready. */
  let failures = 0

  function start(): void {
    const started = startThread(import.meta.url, name, { workerData: data })
    thread = started
    isReady = false
    started.once('message', () => {
      isReady = true
      failures = 0
    })
    calls = createCalls(started, onEvent)
    started.on('online', onStart)
    started.on('error', onError)
    started.on('exit', () => {
      calls = undefined
      const delay = restartDelay * 2 ** Math.min(failures++, MOST_DOUBLINGS)
      if (!stopping) timer = setTimeout(start, delay)
    })
  }

  /** @throws Error when it is not running, or ends before it has answered */
  const call: Call = async (...asked) => {
    if (!calls) throw new Error('the thread of the log index is not running')
    return calls(...asked)
  }

  return {
    call,
    start,
    /** Calls it once more, so that it can end its work, and ends it. One that still loads is ended at once. A second call waits for the first. */
    stop(call: string): Promise<void> {
      clearTimeout(timer)
      return (stopping ??= (async () => {
        // A transaction that never ends, such as one of a server that does not answer, is abandoned.
        const ended = isReady ? calls?.(call) : undefined
        if (ended)
          await within(ended, STOP_LIMIT, () => new Error('it does not end')).catch(() => {})
        await thread?.terminate()
      })())
    },
  }
}

export declare namespace createThread {
  type Options = {
    data: unknown
    name: 'reader' | 'writer' | 'blockWriter'
    onError: (error: Error) => void
    onEvent?: ((event: unknown) => void) | undefined
    /** Called each time it was started. */
    onStart?: () => void
    /** Milliseconds before the first restart; doubled by each end before it was ready. */
    restartDelay: number
  }
}
