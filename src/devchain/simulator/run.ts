import { AsyncLocalStorage } from 'node:async_hooks'

import { LimitExceededError } from '../../lib/errors.ts'
import type { SimulationTurn } from './turns.ts'

/** Most values that one simulation may read from the node. A call of a large protocol reads some hundred. */
const MOST_READS = 2_000

/** One simulation: its calls to the node so far, and whether it may go on. */
export type Run = {
  calls: number
  /** Calls in flight. */
  inFlight: number
  /** Called after each call to the node. */
  onCall: (calls: number) => void
  signal: AbortSignal
  turn: SimulationTurn
}

/** A simulation that begins. */
export const createRun = (options: Pick<Run, 'onCall' | 'signal' | 'turn'>): Run => ({
  calls: 0,
  inFlight: 0,
  ...options,
})

/** The simulation that the current work belongs to. */
export const runs = new AsyncLocalStorage<Run>()

/**
 * Makes a call to the node for the current simulation, which does not compute meanwhile.
 *
 * @throws LimitExceededError when it has made too many
 */
export async function counted<answer>(ask: () => Promise<answer>): Promise<answer> {
  const run = runs.getStore()
  if (!run) return ask()
  if (run.calls >= MOST_READS)
    throw new LimitExceededError(`a simulation may read at most ${MOST_READS} values of the node`)
  count(run)
  if (run.inFlight++ === 0) run.turn.give()
  try {
    return await ask()
  } finally {
    run.inFlight--
    await run.turn.take()
  }
}

/**
 * Makes a call to the node that all simulations wait for. It counts for the current one, but waits for no turn: the simulations of one
 * caller could hold up all others.
 */
export async function countedForAll<answer>(ask: () => Promise<answer>): Promise<answer> {
  const run = runs.getStore()
  if (run) count(run)
  return ask()
}

function count(run: Run): void {
  run.onCall(++run.calls)
}
