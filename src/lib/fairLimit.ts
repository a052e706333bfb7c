import { createFairQueue } from './fairQueue.ts'
import { meterOf } from './meter.ts'

/** Runs work when there is a place for it. @param caller - the signal of the call, whose caller waits for its turn */
export type FairLimit = <result>(work: () => Promise<result>, caller?: object) => Promise<result>

/** Limits the work that runs at the same time. Callers that wait get places in turn. */
export function createFairLimit(concurrency: number): FairLimit {
  const queue = createFairQueue<() => void>()
  let running = 0

  return async (work, caller) => {
    if (running < concurrency) running++
    else {
      const meter = meterOf(caller)
      await new Promise<void>((resolve) => queue.add(resolve, meter?.owner, meter?.weight))
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
