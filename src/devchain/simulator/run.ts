import { AsyncLocalStorage } from 'node:async_hooks'

import { LimitExceededError } from '../../lib/errors.ts'

/** Most values that one simulation may read from the node. A call of a large protocol reads some hundred. */
const MOST_READS = 2_000

/** One simulation: what it has cost so far, and whether it may go on. */
export type Run = {
  /** Calls to the node. */
  calls: number
  /** Milliseconds that it has waited for the node, without the wait that began at `waitsSince`. */
  waited: number
  /** Calls in flight. The time in which several of them overlap counts once. */
  inFlight: number
  /** When it began to wait, while calls are in flight. */
  waitsSince: number
  signal: AbortSignal
}

/** A simulation that begins. */
export const createRun = (signal: AbortSignal): Run => ({
  calls: 0,
  inFlight: 0,
  signal,
  waited: 0,
  waitsSince: 0,
})

/** Milliseconds in which a simulation has waited for the node. */
export const waitedBy = ({ inFlight, waited, waitsSince }: Run): number =>
  waited + (inFlight > 0 ? performance.now() - waitsSince : 0)

/** The simulation that the current work belongs to. */
export const runs = new AsyncLocalStorage<Run>()

/** Makes a call to the node for the current simulation. @throws LimitExceededError when it has made too many */
export async function counted<answer>(ask: () => Promise<answer>): Promise<answer> {
  const run = runs.getStore()
  if (!run) return ask()
  if (++run.calls > MOST_READS)
    throw new LimitExceededError(`a simulation may read at most ${MOST_READS} values of the node`)
  if (run.inFlight++ === 0) run.waitsSince = performance.now()
  try {
    return await ask()
  } finally {
    if (run.inFlight === 1) run.waited = waitedBy(run)
    run.inFlight--
  }
}
