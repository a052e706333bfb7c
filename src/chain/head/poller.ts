import { RpcError } from '../../lib/errors.ts'
import type { HeadStatus } from './headTypes.ts'
import type { PollSchedule } from './pollSchedule.ts'
import type { HeadSync } from './sync.ts'

/** Milliseconds between polls while the node fails, or shows a branch that is not accepted yet. */
const TROUBLED = 500

/** Milliseconds between probes by a replica that does not poll its node, and between them while the node fails. */
const PROBE = 5_000
const PROBE_FAILING = 1_000

/** `reason`: why the last poll failed, as text for operators. */
export type UpstreamState = {
  state: HeadStatus['upstream']
  downSince: number | undefined
  reason: string | undefined
}

/**
 * Polls the node in a loop, one poll at a time: runs `sync` with pauses from the schedule while `active` says that this process
 * polls. Otherwise it probes the node at intervals, so that each replica knows whether its own node answers.
 */
export function createPoller({
  active,
  now = () => performance.now(),
  onState,
  probe,
  schedule,
  sync,
}: createPoller.Options) {
  let upstream: HeadStatus['upstream'] = 'unknown'
  let downSince: number | undefined
  let reason: string | undefined
  let probeAt = 0
  let wake: (() => void) | undefined
  let wanted = false
  let running: Promise<void> | undefined
  const life = { stopped: false }

  /** Returns the milliseconds until the next poll. */
  async function poll(): Promise<number> {
    const isActive = active()
    if (!isActive && now() < probeAt) return probeAt - now()
    try {
      await (isActive ? sync.sync() : probe())
      report('up')
    } catch (error) {
      report('down', error)
    }
    const pause = upstream === 'up' ? PROBE : PROBE_FAILING
    probeAt = now() + pause
    if (!isActive) return pause
    const isTroubled = upstream === 'down' || sync.isUndecided() || sync.problem() !== undefined
    return isTroubled ? TROUBLED : schedule.delay(now())
  }

  function report(state: 'up' | 'down', error?: unknown) {
    if (state !== upstream) onState(state, error)
    upstream = state
    reason = error instanceof RpcError ? error.message : undefined
    downSince = state === 'up' ? undefined : (downSince ?? now())
  }

  async function run(first: () => void) {
    while (!life.stopped) {
      wanted = false
      const began = now()
      const delay = (await poll()) - (now() - began)
      first()
      if (life.stopped || wanted || delay <= 0) {
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
    /** Resolves after the first poll, whether it succeeded or failed. */
    start(): Promise<void> {
      life.stopped = false
      return new Promise<void>((resolve) => {
        running ??= run(resolve)
      })
    },
    /** Resolves when the current poll has ended. */
    async stop(): Promise<void> {
      life.stopped = true
      wake?.()
      await running
      running = undefined
    },
    /** Polls now, or again right after the current poll. Does nothing while another replica polls. */
    pollNow(): void {
      wanted = true
      wake?.()
    },
    /** Whether the node answers this replica; if not, since when (milliseconds). */
    upstream: (): UpstreamState => ({ state: upstream, downSince, reason }),
  }
}

export declare namespace createPoller {
  type Options = {
    sync: HeadSync
    schedule: PollSchedule
    /** Whether this process polls the node. If not, another replica does. */
    active: () => boolean
    /** Checks that the node answers. @throws RpcError when it does not */
    probe: () => Promise<unknown>
    /** Called when the node stops or starts to answer. */
    onState: (state: 'up' | 'down', error?: unknown) => void
    /** Monotonic milliseconds. @default performance.now */
    now?: (() => number) | undefined
  }
}
