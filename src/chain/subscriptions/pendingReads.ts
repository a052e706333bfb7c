import type { Hash } from 'viem'

import type { Call } from '../../lib/call.ts'
import { sleep } from '../../lib/sleep.ts'
import type { HeadLog } from '../head/headTypes.ts'
import type { RpcSocket } from './socket.ts'
import { notification } from './text.ts'

/** Reads a pending transaction as its client sees it; undefined when no node has it any more. */
export type ReadPending = (hash: Hash, call: Call | undefined) => Promise<object | undefined>

/** Milliseconds until a read is tried again that failed, or that the client may not pay for yet. */
const PAUSE = 1_000

/** Attempts to read one transaction. */
const ATTEMPTS = 3

type Reader = { id: string; socket: RpcSocket; read: ReadPending }

/** Sends whole pending transactions to one subscription, in the order of their hashes. Its client pays for the reads. */
export function createPendingReads(
  { id, read, socket }: Reader,
  { isOpen, log, most }: { isOpen: () => boolean; log: Pick<HeadLog, 'warn'>; most: number },
) {
  const waiting: Hash[] = []
  let isReading = false

  async function sendOne(hash: Hash): Promise<void> {
    for (let attempt = 1; isOpen();) {
      // A client that has used up its limits waits.
      if (!socket.settle()) {
        await sleep(PAUSE, undefined, { ref: false })
        continue
      }
      try {
        const transaction = await read(hash, socket.call)
        if (transaction && isOpen()) socket.send(notification(id, JSON.stringify(transaction)))
        return
      } catch (error) {
        if (!isOpen()) return
        if (attempt++ === ATTEMPTS)
          return log.warn({ err: error }, 'could not read a pending transaction')
        await sleep(PAUSE, undefined, { ref: false })
      } finally {
        socket.settle()
      }
    }
  }

  async function sendAll(): Promise<void> {
    isReading = true
    for (let hash = waiting.shift(); hash && isOpen(); hash = waiting.shift()) await sendOne(hash)
    isReading = false
  }

  return {
    /** False when more wait than may. */
    add(hashes: readonly Hash[]): boolean {
      if (waiting.length + hashes.length > most) return false
      waiting.push(...hashes)
      if (!isReading) void sendAll()
      return true
    },
  }
}
