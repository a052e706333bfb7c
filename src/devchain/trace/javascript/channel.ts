import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads'

/** One end of a channel between two threads that send messages in turn. `receive` blocks its thread. */
export type Channel<sent, received> = {
  send(message: sent): void
  /** The next message; undefined when it does not come within this many milliseconds. */
  receive(milliseconds?: number): received | undefined
}

/** Bytes of the memory that both ends share: the number of messages in each direction. */
export const COUNTS = 8

/** @param side - 0 for the thread that asks, 1 for the one that answers. */
export function createChannel<sent, received>(
  port: MessagePort,
  shared: SharedArrayBuffer,
  side: 0 | 1,
): Channel<sent, received> {
  const counts = new Int32Array(shared)
  return {
    send(message) {
      port.postMessage(message, [])
      Atomics.add(counts, 1 - side, 1)
      Atomics.notify(counts, 1 - side)
    },
    receive(milliseconds = Infinity) {
      const end = performance.now() + milliseconds
      for (;;) {
        // Counted before the look, so that a message which comes after it ends the wait.
        const seen = Atomics.load(counts, side)
        const got = receiveMessageOnPort(port)
        if (got) return got.message as received
        const left = end - performance.now()
        if (left <= 0) return undefined
        Atomics.wait(counts, side, seen, left)
      }
    },
  }
}
