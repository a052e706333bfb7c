import { timeSlice } from '../../lib/timeSlice.ts'
import type { RpcSocket } from './socket.ts'

/** Background jobs of subscriptions that catch up: a limited number of sockets at a time, one job of each. */
export type CatchUpQueue<job> = { add(job: job): void }

/** Sockets that are served at a time. */
const AT_ONCE = 8

/** Runs jobs part by part until they are done. Sockets take turns, and so do the jobs of a socket. */
export function createCatchUpQueue<job extends { socket: Pick<RpcSocket, 'id'> }>({
  isOpen,
  onDone,
  onError,
  take,
}: createCatchUpQueue.Options<job>): CatchUpQueue<job> {
  /** Of each socket that is served or waits: its waiting jobs. */
  const jobs = new Map<string, Set<job>>()
  /** Sockets with waiting jobs and no running one. */
  const waiting = new Set<string>()
  let served = 0

  function next(): void {
    for (const socket of waiting) {
      if (served >= AT_ONCE) return
      waiting.delete(socket)
      const own = jobs.get(socket)
      const [job] = own ?? []
      if (!own || !job) continue
      served++
      void serve(job, own).finally(() => {
        served--
        if (own.size > 0) waiting.add(socket)
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
    add(job) {
      const own = jobs.get(job.socket.id)
      if (own) own.add(job)
      else {
        jobs.set(job.socket.id, new Set([job]))
        waiting.add(job.socket.id)
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
