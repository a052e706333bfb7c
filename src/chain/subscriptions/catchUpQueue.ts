import { timeSlice } from '../../lib/timeSlice.ts'
import type { RpcSocket } from './socket.ts'

/** Sockets that are served at a time, and those of one client, which may read as slowly as it likes. */
const AT_ONCE = 8
const OF_CLIENT = 4

/**
 * Background jobs of subscriptions that catch up: a limited number of sockets at a time, one job of each. Runs jobs part by part until
 * they are done. Clients take turns, and so do the sockets of a client and the jobs of a socket.
 */
export function createCatchUpQueue<job extends { socket: Pick<RpcSocket, 'client' | 'id'> }>({
  isOpen,
  onDone,
  onError,
  take,
}: createCatchUpQueue.Options<job>) {
  /** Of each socket that is served or waits: its waiting jobs. */
  const jobs = new Map<string, Set<job>>()
  /** Sockets with waiting jobs and no running one, by client. */
  const waiting = new Map<string, Set<string>>()
  /** Running jobs by client, and of all. */
  const servedOf = new Map<string, number>()
  let served = 0

  function wait({ client, id }: job['socket']): void {
    const sockets = waiting.get(client)
    if (sockets) sockets.add(id)
    else waiting.set(client, new Set([id]))
  }

  function count(client: string, more: 1 | -1): void {
    served += more
    const own = (servedOf.get(client) ?? 0) + more
    if (own > 0) servedOf.set(client, own)
    else servedOf.delete(client)
  }

  function next(): void {
    for (const [client, sockets] of waiting) {
      if (served >= AT_ONCE) return
      if ((servedOf.get(client) ?? 0) >= OF_CLIENT) continue
      const [socket = ''] = sockets
      sockets.delete(socket)
      // Behind the other clients.
      waiting.delete(client)
      if (sockets.size > 0) waiting.set(client, sockets)
      const own = jobs.get(socket)
      const [job] = own ?? []
      if (!own || !job) continue
      count(client, 1)
      void serve(job, own).finally(() => {
        count(client, -1)
        if (own.size > 0) wait(job.socket)
        else jobs.delete(socket)
        next()
      })
    }
  }

  async function serve(job: job, own: Set<job>): Promise<void> {
    own.delete(job)
    try {
      // The job goes behind the other jobs of its socket.
      if (isOpen(job) && (await take(job)) && isOpen(job)) own.add(job)
      else onDone(job)
    } catch (error) {
      onError(error, job)
    }
    // A part that is answered from a cache never waits, so without this pause it would block other work.
    if (timeSlice.isOver()) await timeSlice.next()
  }

  return {
    add(job: job): void {
      const own = jobs.get(job.socket.id)
      if (own) own.add(job)
      else {
        jobs.set(job.socket.id, new Set([job]))
        wait(job.socket)
      }
      next()
    },
  }
}

export declare namespace createCatchUpQueue {
  type Options<job> = {
    /** Whether the subscription of a job still exists. */
    isOpen: (job: job) => boolean
    /** Runs one part of a job. @returns whether more parts are left. */
    take: (job: job) => Promise<boolean>
    onDone: (job: job) => void
    /** Called when a job, or `onDone`, fails. The queue drops the job. */
    onError: (error: unknown, job: job) => void
  }
}
