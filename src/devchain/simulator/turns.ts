import { createFairQueue } from '../../lib/fairQueue.ts'
import type { Turn } from '../../lib/turn.ts'

/** The turn of one simulation. */
export type SimulationTurn = Turn & {
  /** Resolves when the simulation may compute. @throws the reason of its signal */
  take(): Promise<void>
  /** Gives the turn up while the simulation waits for a node. */
  give(): void
}

/** Milliseconds after which the event loop and other simulations have a turn. */
const SLICE = 5

/** Milliseconds that a simulation may compute in all: as in geth. */
const MOST = 5_000

/**
 * One simulation of the thread computes at a time, and callers take turns. So each is charged for its own time only, and it is known
 * which one computes when the thread fails.
 */
export function createTurns({ most = MOST, now = threadTime, onTurn }: createTurns.Options): {
  open(simulation: createTurns.Simulation): SimulationTurn
} {
  const waiting = createFairQueue<() => void>()
  let holder: object | undefined
  /** Turns so far. */
  let turns = 0

  function pass(): void {
    holder = undefined
    onTurn(0)
    waiting.shift()?.()
  }

  return {
    open({ number, onUsed, owner, signal, weight }) {
      const self = {}
      let spent = 0
      let since = 0
      let taking: Promise<void> | undefined

      const used = () => spent + (holder === self ? now() - since : 0)

      function begin(): void {
        holder = self
        since = now()
        onTurn(number)
        // A simulation that does not run when the event loop goes on waits for something, perhaps for another simulation.
        const turn = ++turns
        setImmediate(() => turn === turns && give())
      }

      async function wait(): Promise<void> {
        if (holder)
          await new Promise<void>((resolve) => {
            waiting.add(() => (begin(), resolve()), owner, weight)
          })
        else begin()
        if (!signal.aborted) return
        give()
        signal.throwIfAborted()
      }

      function give(): void {
        if (holder !== self) return
        spent += now() - since
        onUsed(spent)
        pass()
      }

      const take = async () => {
        signal.throwIfAborted()
        if (holder === self) return
        taking ??= wait().finally(() => {
          taking = undefined
        })
        await taking
      }

      return {
        take,
        give,
        isOver: () => holder !== self || now() - since > SLICE,
        async next() {
          give()
          await new Promise(setImmediate)
          await take()
        },
        used,
        left: () => most - used(),
        ...(now === processorTime && { waited: (milliseconds) => (spent += milliseconds) }),
      }
    },
  }
}

export declare namespace createTurns {
  type Options = {
    /** Milliseconds that a simulation may compute. @default 5,000 */
    most?: number | undefined
    /** Milliseconds that this thread has computed. */
    now?: () => number
    /** Called with the number of the simulation that begins to compute; 0 for none. */
    onTurn: (number: number) => void
  }
  type Simulation = {
    /** From 1. */
    number: number
    /** Called with the milliseconds that it has computed, after each turn. */
    onUsed: (milliseconds: number) => void
    owner: string
    signal: AbortSignal
    weight: number
  }
}

const { threadCpuUsage } = process as { threadCpuUsage?: () => { system: number; user: number } }

/** Time of the processor where node measures it for a thread; the time of the clock elsewhere. */
const threadTime = threadCpuUsage ? processorTime : () => performance.now()

function processorTime(): number {
  const { system, user } = (threadCpuUsage as NonNullable<typeof threadCpuUsage>).call(process)
  return (system + user) / 1_000
}
