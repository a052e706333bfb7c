import type { Call } from './call.ts'
import { createFairQueue } from './fairQueue.ts'

/** Runs work when there is a place for it. Its caller waits for its turn. */
export type FairLimit = <result>(work: () => Promise<result>, call?: Call) => Promise<result>

/** Limits the work that runs at the same time. Callers that wait get places in turn. */
export function createFairLimit(concurrency: number): FairLimit {
  const queue = createFairQueue<() => void>()
  let running = 0

  return async (work, call) => {
    if (running < concurrency) running++
    else {
      const { id, limits } = call?.caller ?? {}
      await new Promise<void>((resolve) => queue.add(resolve, id, limits?.weight))
    }
    try {
      return await work()
    } finally {
      // The place goes to the next one, or is free.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}
