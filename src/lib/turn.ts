import { AsyncLocalStorage } from 'node:async_hooks'

import { timeSlice } from './timeSlice.ts'

/** The right of long work to use the processor, which pieces of work of one thread have in turn. */
export type Turn = {
  /** Whether the work must let other work run now. */
  isOver(): boolean
  /** Lets other work run, and resolves when it is the turn of this work again. @throws the reason why the work must end */
  next(): Promise<void>
  /** Milliseconds that the work has computed. Time in which other work runs does not count. */
  used(): number
  /** Milliseconds that the work may still compute. */
  left(): number
  /** Counts milliseconds in which a thread of the work computed while this one waited for it, where the turn does not measure them. */
  waited?(milliseconds: number): void
}

/** The turn of the work that runs. Nothing is stored on the main thread, where it would slow every promise down on Node 20. */
export const turns = new AsyncLocalStorage<Turn>()

/** The turn of the work that runs, or a new one that shares the event loop with all other work. */
export function currentTurn(): Turn {
  return turns.getStore() ?? sliceTurn()
}

function sliceTurn(): Turn {
  let spent = 0
  let since = performance.now()
  return {
    isOver: () => timeSlice.isOver(),
    async next() {
      spent += performance.now() - since
      await timeSlice.next()
      since = performance.now()
    },
    used: () => spent + performance.now() - since,
    left: () => Infinity,
  }
}
