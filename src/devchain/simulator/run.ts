import { AsyncLocalStorage } from 'node:async_hooks'

import { LimitExceededError } from '../../lib/errors.ts'

/** Most values that one simulation may read from the node. A call of a large protocol reads some hundred. */
const MOST_READS = 2_000

/** One simulation: what it has cost so far, and whether it may go on. */
export type Run = {
  /** Calls to the node. */
  calls: number
  /** Milliseconds in which it waited for the node. */
  waited: number
  signal: AbortSignal
}

/** The simulation that the current work belongs to. */
export const runs = new AsyncLocalStorage<Run>()

/** Makes a call to the node for the current simulation. @throws LimitExceededError when it has made too many */
export async function counted<answer>(ask: () => Promise<answer>): Promise<answer> {
  const run = runs.getStore()
  if (!run) return ask()
  if (++run.calls > MOST_READS)
    throw new LimitExceededError(`a simulation may read at most ${MOST_READS} values of the node`)
  const start = performance.now()
  try {
    return await ask()
  } finally {
    run.waited += performance.now() - start
  }
}
