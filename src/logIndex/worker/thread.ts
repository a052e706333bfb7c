import type { Worker } from 'node:worker_threads'

import { type Call, createCalls } from './calls.ts'
import { startThread } from './start.ts'

/** A thread that is started again when it ends. */
export type Thread = {
  /** @throws Error when it is not running, or ends before it has answered */
  call: Call
  start(): void
  /** Calls it once more, so that it can end its work, and ends it. */
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
  let isStopping = false

  function start(): void {
    const started = startThread(name, data)
    thread = started
    calls = createCalls(started, onEvent)
    started.on('online', onStart)
    started.on('error', onError)
    started.on('exit', () => {
      calls = undefined
      if (!isStopping) timer = setTimeout(start, restartDelay)
    })
  }

  return {
    start,
    async call(...call) {
      if (!calls) throw new Error('the thread of the log index is not running')
      return calls(...call)
    },
    async stop(call) {
      isStopping = true
      clearTimeout(timer)
      await calls?.(call).catch(() => {})
      await thread?.terminate()
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
