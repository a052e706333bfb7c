import type { ServedChain } from '../identity/servedChain.ts'
import type { Member } from './member.ts'
import type { Need } from './need.ts'

/** Chooses the node for a call. */
export type Router = ReturnType<typeof createRouter>

export type Route = { need: Need; operation: string; path: string; group?: object | undefined }

/** Milliseconds after a rate-limit answer in which the node gets only calls that no other node can answer. */
const AVOID_BUSY = 200

export function createRouter({
  chain,
  members,
  now = () => performance.now(),
  random = Math.random,
}: createRouter.Options) {
  let same: Member | undefined
  const ofGroup = new WeakMap<object, Member>()

  function isUsable({ breaker, known }: Member): boolean {
    return (
      known.genesis !== undefined &&
      known.genesis === chain.genesis &&
      known.onBranch !== false &&
      breaker.share() > 0
    )
  }

  function isHighEnough({ known }: Member, need: Need): boolean {
    const head = known.head?.number ?? -1
    const solid = known.solid?.number ?? -1
    if (need.kind === 'head') return true
    if (need.kind === 'block')
      return (need.solid ? solid : head) >= need.number && known.lowest <= need.number
    const ofSolid = 'solid' in need && need.solid
    return ofSolid ? solid >= chain.solid : head >= chain.head
  }

  function isAble(member: Member, { need, operation }: Route): boolean {
    if (!isUsable(member) || (!member.offers(operation) && anyOffers(operation))) return false
    return need.kind !== 'balances' || member.known.balances !== false || !anyKeepsBalances()
  }

  /** A front end of all nodes can answer for a moment as if they did not offer what they do. */
  function anyOffers(operation: string): boolean {
    return members().some((member) => isUsable(member) && member.offers(operation))
  }

  function anyKeepsBalances(): boolean {
    return members().some((member) => member.known.balances === true && isUsable(member))
  }

  /** Whether the newest block of a node is not the one that clients were shown at its height. */
  function isOnFork({ known }: Member): boolean {
    const { head } = known
    if (!head) return false
    const { shows } = chain
    if (known.fork?.head === head && known.fork.shows === shows) return known.fork.isOnFork
    const shown = chain.hashAt(head.number)
    const isOnFork = shown !== undefined && shown !== head.hash
    known.fork = { head, isOnFork, shows }
    return isOnFork
  }

  /** Whether other nodes come first, those of higher tiers too. */
  function isDeferred(member: Member, time: number): boolean {
    const { breaker, counts, known } = member
    const { lastBusy } = counts()
    if (known.suspected || (lastBusy !== undefined && time - lastBusy < AVOID_BUSY)) return true
    if (isOnFork(member)) return true
    // A node that has just come back gets a growing part of the calls.
    const share = breaker.share()
    return share < 1 && random() >= share
  }

  function choose(route: Route, excluded: readonly Member[] | undefined): Member | undefined {
    let best: Member | undefined
    let bestRank = Number.POSITIVE_INFINITY
    const time = now()
    for (const member of members()) {
      if (excluded?.includes(member)) continue
      if (!isAble(member, route) || !isHighEnough(member, route.need)) continue
      // Each criterion weighs more than all following ones together.
      const rank =
        (isDeferred(member, time) ? 1e15 : 0) +
        member.upstream.tier * 1e12 +
        (member.limiter.free(route.path) ? 0 : 1e10) +
        member.load(time)
      if (rank >= bestRank) continue
      best = member
      bestRank = rank
    }
    return best
  }

  /** The node that was chosen before, for as long as it can answer. */
  function keep(before: Member | undefined, route: Route, excluded?: readonly Member[]) {
    const keeps =
      before !== undefined &&
      members().includes(before) &&
      !excluded?.includes(before) &&
      isAble(before, route) &&
      isHighEnough(before, route.need)
    return keeps ? before : choose(route, excluded)
  }

  function chooseForGroup(group: object, route: Route, excluded?: readonly Member[]) {
    const chosen = keep(ofGroup.get(group), route, excluded)
    if (chosen) ofGroup.set(group, chosen)
    return chosen
  }

  return {
    /** Whether a node gets calls of clients at all. */
    isUsable,
    /** The best node that is not excluded; undefined when none can answer now. */
    choose: (route: Route, excluded?: readonly Member[]) => {
      const { need } = route
      if (need.kind === 'same') return (same = keep(same, route, excluded))
      if (need.kind === 'state' && route.group) return chooseForGroup(route.group, route, excluded)
      // If no node has the height, a node at the floor answers that there is no such block.
      if (need.kind === 'block' && !members().some((member) => isHighEnough(member, need)))
        return choose({ ...route, need: { kind: 'state', solid: need.solid } }, excluded)
      return choose(route, excluded)
    },
    /** Whether a node that works lacks only the newest blocks, so that it may answer soon. */
    mayCatchUp: (route: Route) =>
      members().some((member) => isAble(member, route) && !isHighEnough(member, route.need)),
  }
}

export declare namespace createRouter {
  type Options = {
    members: () => readonly Member[]
    /** The chain that is served. A node that lacks its newest block gets no reads of the newest state. */
    chain: Pick<ServedChain, 'genesis' | 'hashAt' | 'head' | 'shows' | 'solid'>
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** @default Math.random */
    random?: () => number
  }
}
