import { UpstreamError } from '../../lib/errors.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { whenLate } from '../../lib/within.ts'
import type { ServedChain } from '../identity/servedChain.ts'
import { clientNameOf } from '../upstream.ts'
import type { Member } from './member.ts'
import { type MemberState, stateInWords } from './memberState.ts'
import type { Prober } from './prober.ts'
import type { Route, Router } from './router.ts'

/** Milliseconds for which a read waits until some node has reached the floor. */
const MAX_WAIT = 2_000

/** Calls that wait until a node has reached the newest block that clients have seen. */
export function createFloorWait({
  chain,
  highest,
  nodes,
  router,
  stateNow,
}: createFloorWait.Options) {
  const checks = new Set<() => void>()
  const members = () => nodes().map(({ member }) => member)

  function wait(call: Route, signal: StopSignal | undefined): Promise<Member> {
    if (!router.mayCatchUp(call)) return Promise.reject(noneUsable())
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(limit)
        checks.delete(check)
        signal?.removeEventListener('abort', leave)
      }
      const check = () => {
        const chosen = router.choose(call)
        if (!chosen) return
        end()
        resolve(chosen)
      }
      const leave = () => (end(), reject(signal?.reason))
      const limit = whenLate(() => {
        end()
        reject(noneUsable())
      }, MAX_WAIT)
      checks.add(check)
      signal?.addEventListener('abort', leave, { once: true })
      probeBehind()
    })
  }

  /** Probes the nodes that have not shown the newest block yet. */
  function probeBehind(): void {
    for (const { member, prober } of nodes()) {
      const { head, solid } = member.known
      if ((head?.number ?? 0) < chain.head || (solid?.number ?? 0) < chain.solid)
        if (member.breaker.state() !== 'open') void prober.probe()
    }
  }

  function noneUsable(): UpstreamError {
    if (members().some(router.isUsable))
      return new UpstreamError(
        `no upstream node has reached block ${chain.head} yet: the highest is at ${highest()}`,
      )
    const reasons = nodes().map(({ member }) => {
      const { reason, state } = stateNow(member)
      return `${clientNameOf(member.upstream)} is ${stateInWords(state)}${reason === undefined ? '' : ` (${reason})`}`
    })
    return new UpstreamError(`no upstream node can answer: ${reasons.join('; ')}`)
  }

  return {
    /** Resolves with a node as soon as one can answer. @throws UpstreamError that says why none can */
    wait,
    probeBehind,
    /** Calls that wait now. */
    waiting: () => checks.size,
    /** Call it when a node has reached another block. The calls that wait choose again. */
    recheck() {
      for (const check of checks) check()
    },
  }
}

export declare namespace createFloorWait {
  type Options = {
    chain: Pick<ServedChain, 'head' | 'solid'>
    /** The highest block that a node which may get calls has. */
    highest: () => number
    nodes: () => readonly { member: Member; prober: Prober }[]
    router: Router
    stateNow: (member: Member) => MemberState
  }
}
