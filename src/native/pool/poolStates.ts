import type { ServedChain } from '../identity/servedChain.ts'
import { logRelease } from '../release.ts'
import type { Member } from './member.ts'
import { type MemberState, stateInWords, stateOf } from './memberState.ts'

/** The logger of state changes, such as pino. */
export type PoolLog = Record<'info' | 'warn', (fields: object, message: string) => void>

/** Tracks the states of the nodes of a pool and logs their changes. */
export function createPoolStates({ chain, log, members }: createPoolStates.Options) {
  const reported = new WeakMap<Member, MemberState['state']>()
  const releases = new WeakMap<Member, string>()

  function highest(): number {
    return highestOf(
      members().filter(({ known }) => known.genesis === chain.genesis && known.onBranch !== false),
    )
  }

  function stateNow(member: Member): MemberState {
    return stateOf(member, {
      genesis: chain.genesis,
      head: highest(),
      now: performance.now(),
      wallTime: Date.now(),
    })
  }

  return {
    /** The state of a node now. */
    of: stateNow,
    /** The highest block of the nodes that follow the served chain. */
    highest,
    /** Logs the states and releases that have changed since the last call. */
    report() {
      for (const member of members()) {
        const { version } = member.known
        if (version !== undefined && version !== releases.get(member)) {
          releases.set(member, version)
          logRelease(log, member.upstream.name, version)
        }
        const { reason, state } = stateNow(member)
        const last = reported.get(member) ?? 'starting'
        reported.set(member, state)
        if (state === last || (last === 'starting' && state === 'healthy')) continue
        const { name } = member.upstream
        const fields = { upstream: name, state, reason }
        if (state === 'healthy') log.info(fields, `upstream ${name} is healthy`)
        else log.warn(fields, `upstream ${name} is ${stateInWords(state)}: ${reason}`)
      }
    },
  }
}

export declare namespace createPoolStates {
  type Options = {
    chain: Pick<ServedChain, 'genesis'>
    log: PoolLog
    members: () => readonly Member[]
  }
}

/** The highest block of these nodes. */
export function highestOf(members: readonly Member[]): number {
  return Math.max(0, ...members.map(({ known }) => known.head?.number ?? 0))
}
