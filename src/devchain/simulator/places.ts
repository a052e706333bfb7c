import { LimitExceededError } from '../../lib/errors.ts'
import { createFairQueue } from '../../lib/fairQueue.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { PLACES } from './shared.ts'

/** Simulations of one caller that run at once, so that others have a place at any time. */
const OF_CALLER = PLACES / 2

/** Simulations that run or wait, of all callers and of one. */
const MOST = 64
const MOST_OF_CALLER = 16

/** Who simulates, and until when. */
type Asking = { owner: string; signal: StopSignal; weight: number }

type Waiting = { owner: string; start: (place: number) => void }

/** The places of the thread. Callers that wait get them in turn. */
export function createPlaces() {
  const free = Array.from({ length: PLACES }, (_, index) => index + 1)
  const waiting = createFairQueue<Waiting>()
  const running = new Map<string, number>()
  const asked = new Map<string, number>()
  let all = 0

  function next(): void {
    while (free.length > 0) {
      const entry = waiting.shift(({ owner }) => (running.get(owner) ?? 0) < OF_CALLER)
      if (!entry) return
      add(running, entry.owner, 1)
      entry.start(free.pop() as number)
    }
  }

  function leave(owner: string): void {
    add(asked, owner, -1)
    all--
  }

  return {
    /**
     * Waits for a place, from 1 to `PLACES`.
     *
     * @throws LimitExceededError when too many wait; the reason of the signal
     */
    async take({ owner, signal, weight }: Asking): Promise<number> {
      signal.throwIfAborted()
      if (all >= MOST || (asked.get(owner) ?? 0) >= MOST_OF_CALLER)
        throw new LimitExceededError('too many simulations run at once, try again later')
      add(asked, owner, 1)
      all++
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          owner,
          start(place) {
            signal.removeEventListener('abort', stop)
            resolve(place)
          },
        }
        const stop = () => {
          waiting.remove(entry)
          leave(owner)
          reject(signal.reason)
        }
        signal.addEventListener('abort', stop, { once: true })
        waiting.add(entry, owner, weight)
        next()
      })
    },
    /** Gives a place back. */
    give(place: number, owner: string): void {
      free.push(place)
      add(running, owner, -1)
      leave(owner)
      next()
    },
    /** Whether no simulation runs or waits. */
    isEmpty: () => all === 0,
  }
}

function add(counts: Map<string, number>, owner: string, more: number): void {
  const count = (counts.get(owner) ?? 0) + more
  if (count > 0) counts.set(owner, count)
  else counts.delete(owner)
}
