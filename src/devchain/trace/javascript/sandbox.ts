import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'

import pLimit from 'p-limit'

import { startThread } from '../../../lib/startThread.ts'
import { currentTurn } from '../../../lib/turn.ts'
import { TraceTimeoutError } from '../tracer.ts'
import { type Channel, COUNTS, createChannel } from './channel.ts'
import type { FromThread, Started, ThreadData, ToThread } from './tracerThread.ts'

/** A tracer in JavaScript failed. The message has its error. */
export class TracerError extends Error {
  override name = 'TracerError'
}

/** A thread with a sandbox in which one tracer at a time runs. */
export type Sandbox = ReturnType<typeof createSandbox>

/** Tracers that run at once. Each has a thread. */
const MOST = 4

/** Milliseconds in which one call of a tracer must return: nothing else runs in the thread that waits for it. */
const LONGEST = 2_500

/** Milliseconds until the thread must have started. */
const START = 60_000

/** Milliseconds for which a thread without work stays. */
const KEPT = 10_000

const places = pLimit(MOST)

/** The started threads that have no work. */
const idle = new Set<Thread>()

/** A thread, and the channel to it. */
type Thread = { channel: Channel<ToThread, FromThread>; end(): Promise<void> }

/**
 * Runs work with a sandbox. A tracer cannot reach this process: it is code of another engine, which has only the functions that
 * tracers need. A thread whose tracer does not return is ended.
 *
 * @param timeout - Milliseconds that all calls may take together.
 * @throws TracerError that names a package which is not installed
 */
export function withSandbox<result>(
  timeout: number,
  work: (sandbox: Sandbox) => Promise<result>,
): Promise<result> {
  return places(async () => {
    const [waiting] = idle
    const thread = waiting ?? (await startTracerThread())
    idle.delete(thread)
    let isLost = false
    try {
      return await work(createSandbox(thread.channel, timeout))
    } catch (error) {
      isLost = error instanceof TraceTimeoutError
      throw error
    } finally {
      if (isLost || idle.size > 0) await thread.end()
      else keep(thread)
    }
  })
}

/** Keeps a thread for the next tracer. */
function keep(thread: Thread): void {
  idle.add(thread)
  setTimeout(() => {
    if (idle.delete(thread)) void thread.end()
  }, KEPT).unref()
}

function createSandbox(channel: Channel<ToThread, FromThread>, timeout: number) {
  const turn = currentTurn()
  let left = timeout
  return {
    /**
     * Calls the tracer. Blocks this thread until it returns.
     *
     * @param values - passed as JSON
     * @param answerOf - answers the questions of the tracer. What it throws ends the call.
     * @returns the JSON that the call returned
     * @throws TracerError, TraceTimeoutError
     */
    call(name: string, values: object, answerOf?: (question: unknown) => unknown) {
      const began = performance.now()
      const end = began + Math.min(left, LONGEST)
      let failure: unknown
      channel.send({ call: name, text: JSON.stringify(values) })
      try {
        for (;;) {
          const message = channel.receive(end - performance.now())
          // The thread may be in an endless loop. It ends with the trace.
          if (!message) throw new TraceTimeoutError('execution timeout')
          if ('ask' in message) {
            let answer: string | undefined
            try {
              answer = JSON.stringify(answerOf?.(JSON.parse(message.ask)))
            } catch (error) {
              failure ??= error
            }
            channel.send({ answer })
            continue
          }
          if (failure !== undefined) throw failure
          if ('error' in message)
            throw new TracerError(`${message.error}    in server-side tracer function '${name}'`)
          return message.text
        }
      } finally {
        const spent = performance.now() - began
        left -= spent
        turn.waited?.(spent)
      }
    },
  }
}

async function startTracerThread(): Promise<Thread> {
  const { port1: port, port2 } = new MessageChannel()
  const shared = new SharedArrayBuffer(COUNTS)
  const thread = startThread(import.meta.url, 'tracerThread', {
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    transferList: [port2],
    workerData: { port: port2, shared } satisfies ThreadData,
  })
  thread.unref()
  // A tracer whose thread ended gets no answer.
  thread.on('error', () => {})
  async function end() {
    port.close()
    await thread.terminate()
  }
  try {
    const signal = AbortSignal.timeout(START)
    const [started] = (await once(thread, 'message', { signal })) as [Started]
    if (started.error !== undefined) throw new TracerError(started.error)
    return { channel: createChannel(port, shared, 0), end }
  } catch (error) {
    await end()
    throw error
  }
}
