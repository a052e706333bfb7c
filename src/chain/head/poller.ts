import type { HeadStatus } from '../headTypes.ts'
import type { Advance } from './advance.ts'
import type { Rhythm } from './rhythm.ts'

/** Milliseconds between polls while something is wrong or doubtful. */
const TROUBLED = 500

/** Looks at the node again and again, one look at a time. */
export type Poller = {
  /** Resolves after the first look, however it went. */
  start(): Promise<void>
  /** Resolves when the look under way is over. */
  stop(): Promise<void>
  /** Looks now, or again right after the look under way. */
  poke(): void
  upstream(): HeadStatus['upstream']
  /** Since when the node does not answer, milliseconds; undefined when it does or was not asked. */
  downSince(): number | undefined
}

/** A loop over `advance.step` whose pauses come from the rhythm. `active` tells whether this process is the one that looks. */
export function createPoller({
  active,
  advance,
  now = Date.now,
  onState,
  rhythm,
}: createPoller.Options): Poller {
  let upstream: HeadStatus['upstream'] = 'unknown'
  let downSince: number | undefined
  let wake: (() => void) | undefined
  let poked = false
  let running: Promise<void> | undefined
  const life = { stopped: false }

  async function look(): Promise<number> {
    if (!active()) {
      downSince = undefined
      return TROUBLED
    }
    try {
      await advance.step()
      report('up')
      return advance.doubts() || advance.problem() ? TROUBLED : rhythm.delay(now())
    } catch (error) {
      report('down', error)
      return TROUBLED
    }
  }

  function report(state: 'up' | 'down', error?: unknown) {
    if (state !== upstream) onState(state, error)
    upstream = state
    downSince = state === 'up' ? undefined : (downSince ?? now())
  }

  async function run(first: () => void) {
    while (!life.stopped) {
      poked = false
      const began = now()
      const delay = (await look()) - (now() - began)
      first()
      if (life.stopped || poked || delay <= 0) {
        await new Promise(setImmediate)
        continue
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, delay)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      wake = undefined
    }
  }

  return {
    start() {
      life.stopped = false
      return new Promise<void>((resolve) => {
        running ??= run(resolve)
      })
    },
    async stop() {
      life.stopped = true
      wake?.()
      await running
      running = undefined
    },
    poke() {
      poked = true
      wake?.()
    },
    upstream: () => upstream,
    downSince: () => downSince,
  }
}

export declare namespace createPoller {
  type Options = {
    advance: Advance
    rhythm: Rhythm
    active: () => boolean
    /** Told when the node stops or starts to answer. */
    onState: (state: 'up' | 'down', error?: unknown) => void
    now?: (() => number) | undefined
  }
}
