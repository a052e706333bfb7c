import type { MessagePort, TransferListItem, Worker } from 'node:worker_threads'

import type { StopSignal } from './stopSignal.ts'

/** Calls from one thread to another by name, with an answer or an error each. */
type Message =
  | { id: number; name: string; argument: unknown }
  | { id: number; cancel: true }
  | { id: number; note: unknown }
  | { id: number; result: unknown }
  | { id: number; error: { name: string; message: string } }
  | { event: unknown }

/** The functions of a thread. Each takes one argument, can be cancelled, and can send notes before its answer. */
export type Handlers = Record<
  string,
  (argument: never, signal: AbortSignal, note: (value: unknown) => void) => unknown
>

/** A result whose memory is handed over instead of copied. */
type Transfer = { [TRANSFER]: readonly TransferListItem[]; value: unknown }

const TRANSFER = Symbol('transfer')

/** Marks a result of a handler: the buffers in `list` are handed over. */
export function transfer(value: unknown, list: readonly TransferListItem[]): Transfer {
  return { [TRANSFER]: list, value }
}

/** Answers the calls of the thread that started this one. */
export function answerCalls(
  port: MessagePort,
  handlers: Handlers,
): { event(value: unknown): void } {
  const running = new Map<number, AbortController>()

  async function answer(id: number, name: string, argument: unknown, signal: AbortSignal) {
    try {
      const note = (value: unknown) => port.postMessage({ id, note: value }, [])
      const handler = handlers[name]
      if (!handler) throw new Error(`the thread has no function ${name}`)
      const result = await handler(argument as never, signal, note)
      if (isTransfer(result)) port.postMessage({ id, result: result.value }, result[TRANSFER])
      else port.postMessage({ id, result }, [])
    } catch (error) {
      const { message, name } = error as Error
      port.postMessage({ id, error: { name, message } }, [])
    } finally {
      running.delete(id)
    }
  }

  port.on('message', (message: Message) => {
    if ('cancel' in message) running.get(message.id)?.abort(new Error('cancelled'))
    if (!('name' in message)) return
    const { argument, id, name } = message
    const controller = new AbortController()
    running.set(id, controller)
    void answer(id, name, argument, controller.signal)
  })
  return { event: (value) => port.postMessage({ event: value }, []) }
}

/** Calls a handler of a thread. `onNote` gets the notes that it sends before its answer. */
export type Call = <result>(
  name: string,
  argument?: unknown,
  signal?: StopSignal,
  onNote?: (note: never) => void,
) => Promise<result>

/** Calls a thread. When it ends, its calls in flight fail. */
export function createCalls(worker: Worker, onEvent: (value: unknown) => void = () => {}): Call {
  const waiting = new Map<
    number,
    {
      resolve: (value: never) => void
      reject: (error: Error) => void
      onNote: ((note: never) => void) | undefined
    }
  >()
  let next = 0
  let ended: Error | undefined
  worker.on('message', (message: Message) => {
    if ('event' in message) onEvent(message.event)
    else if ('note' in message) waiting.get(message.id)?.onNote?.(message.note as never)
    else if ('result' in message) waiting.get(message.id)?.resolve(message.result as never)
    else if ('error' in message)
      waiting
        .get(message.id)
        ?.reject(Object.assign(new Error(message.error.message), message.error))
  })
  const end = (error: Error) => {
    ended ??= error
    for (const call of waiting.values()) call.reject(error)
  }
  worker.on('error', (error) => end(error))
  worker.on('exit', () => end(new Error('the thread has ended')))

  return async (name, argument, signal, onNote) => {
    signal?.throwIfAborted()
    if (ended) throw ended
    const id = next++
    const cancel = () => {
      worker.postMessage({ id, cancel: true }, [])
      waiting.get(id)?.reject(signal?.reason as Error)
    }
    try {
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject, onNote })
        signal?.addEventListener('abort', cancel, { once: true })
        worker.postMessage({ id, name, argument }, [])
      })
    } finally {
      waiting.delete(id)
      signal?.removeEventListener('abort', cancel)
    }
  }
}

function isTransfer(value: unknown): value is Transfer {
  return typeof value === 'object' && value !== null && TRANSFER in value
}
