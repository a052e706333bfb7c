import { createFairQueue } from '../../lib/fairQueue.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Turn } from '../../lib/turn.ts'

/** The turn of one simulation. */
export type SimulationTurn = Turn & {
  /** Resolves when the simulation may compute. @throws the reason of its signal */
  take(): Promise<void>
  /** Gives the turn up while the simulation waits for a node. */
  give(): void
  /** Gives the turn up for good. Always end it. */
  end(): void
}

/** Milliseconds after which the event loop and other simulations have a turn. */
const SLICE = 5

/** Milliseconds of a turn that could not be interrupted, such as that of a pairing. */
const LONG = 2 * SLICE

/** Milliseconds that a simulation may compute in all: as in geth. */
const MOST = 5_000

/**
 * One simulation of the thread computes at a time, and callers take turns. So each is charged for its own time only, and it is known
 * which one computes when the thread fails. After a long turn a caller leaves as much time to the others: they take many short turns
 * between their reads of the node.
 */
export function createTurns({
  most = MOST,
  now = threadTime,
  onTurn,
  rest = sleep,
}: createTurns.Options): {
  open(simulation: createTurns.Simulation): SimulationTurn
} {
  const waiting = createFairQueue<{ begin: () => void; caller: Caller }>()
  /** The callers of simulations under way. */
  const callers = new Map<string, Caller>()
  let holder: object | undefined
  /** Turns so far. */
  let turns = 0

  function startNext(): void {
    if (!holder) waiting.shift(({ caller }) => !caller.rests)?.begin()
  }

  /** Leaves time to other callers, as long as there are some. */
  async function leaveTime(caller: Caller, milliseconds: number): Promise<void> {
    caller.rests = true
    for (let due = milliseconds; due > 0 && callers.size > 1; due -= SLICE) await rest(SLICE)
    caller.rests = false
    startNext()
  }

  return {
    open({ number, onUsed, owner, signal, weight }) {
      const self = {}
      let spent = 0
      let since = 0
      let taking: Promise<void> | undefined
      const caller = callers.get(owner) ?? { rests: false, simulations: 0 }
      callers.set(owner, caller)
      caller.simulations++

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
        await new Promise<void>((resolve) => {
          const entry = { begin: () => (begin(), resolve()), caller }
          waiting.add(entry, owner, weight)
          startNext()
        })
        if (!signal.aborted) return
        give()
        signal.throwIfAborted()
      }

      function give(): void {
        if (holder !== self) return
        const lasted = now() - since
        spent += lasted
        onUsed(spent)
        holder = undefined
        onTurn(0)
        if (lasted > LONG) void leaveTime(caller, lasted)
        startNext()
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
        end() {
          give()
          if (--caller.simulations === 0) callers.delete(owner)
        },
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

type Caller = {
  /** Whether it leaves time to others. */
  rests: boolean
  simulations: number
}

export declare namespace createTurns {
  type Options = {
    /** Milliseconds that a simulation may compute. @default 5,000 */
    most?: number | undefined
    /** Milliseconds that this thread has computed. */
    now?: () => number
    /** Called with the number of the simulation that begins to compute; 0 for none. */
    onTurn: (number: number) => void
    /** Waits for milliseconds. @default `sleep` */
    rest?: (milliseconds: number) => Promise<void>
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
