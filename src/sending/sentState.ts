import type { Address, Hash } from 'viem'

import { createdContract } from './contracts.ts'
import {
  type Changed,
  type ContractRecord,
  type CreatedContract,
  type Ending,
  firstRecord,
  hashesOf,
  MAX_CONTRACTS,
  type NewTransaction,
  type Reservation,
  SENT_TTL_SECONDS,
  type SentCounts,
  type SentEvent,
  type SentStore,
  type SentTransaction,
} from './sentStore.ts'
import { transition } from './transition.ts'

/** Maximum number of hashes of final transactions, and of endings. The oldest are dropped first. Nonces never are. */
const CAPACITY = 40_000

/**
 * One change of the record of sent transactions. All facts in order rebuild the state. `changed` has what an event made of a
 * record; its signed bytes stay, unless the transaction is final. `mined` is what earlier versions wrote for that.
 */
export type SentFact =
  | { fact: 'sent'; sent: SentTransaction; until: number }
  | { fact: 'changed'; id: Hash; sent: Partial<SentTransaction>; until: number }
  | { fact: 'released'; id: Hash; ending: Ending; until: number }
  | { fact: 'mined'; id: Hash }
  | { fact: 'contract'; contract: CreatedContract; until: number }
  | { fact: 'nonces'; from: Address; mined: number; above: number[] }

/**
 * Nonces of one account: all below `base` are final, and `used` has the state of the others. `next` and `mined` are where the last
 * search ended, below which none is free, or none is pending: without them each transaction would search through all of a minute.
 */
type Nonces = {
  base: number
  used: Map<number, SentTransaction['state']>
  next: number
  mined: number
}

type Wanted<list extends 'mined' | 'unfinished'> = Parameters<SentStore[list]>[0]

/** The record of sent transactions in memory. All functions are synchronous. */
export type SentState = ReturnType<typeof createSentState>

/** Creates an empty record. */
export function createSentState({
  capacity = CAPACITY,
  changes = 0,
  now = Date.now,
  onFact = () => {},
}: createSentState.Options = {}) {
  // Each of these three has a transaction by its native id, and by its Ethereum hash.
  /** Those that are not final. */
  const open = new Map<Hash, SentTransaction>()
  const final = new Map<Hash, { sent: SentTransaction; until: number }>()
  const endings = new Map<Hash, { ending: Ending; until: number }>()
  const accounts = new Map<Address, Nonces>()
  /** By predicted address, in the order of their changes. */
  const contracts = new Map<Address, { record: ContractRecord; change: number; until: number }>()
  let lastChange = changes

  const untilNow = () => now() + SENT_TTL_SECONDS * 1000

  /** Sets a value, and drops those that are too old or too many. Insertion order is age. */
  function keep<value extends { until: number }>(
    values: Map<Hash, value>,
    key: Hash,
    value: value,
    most = capacity,
  ) {
    values.delete(key)
    values.set(key, value)
    for (const [oldest, { until }] of values) {
      if (until > now() && values.size <= most) return
      values.delete(oldest)
    }
  }

  /** A value that may be past its time. */
  const fresh = <value extends { until: number }>(value: value | undefined) =>
    value && value.until > now() ? value : undefined

  const find = (hash: Hash) => open.get(hash) ?? fresh(final.get(hash))?.sent

  function noncesOf(from: Address): Nonces {
    const nonces = accounts.get(from) ?? { base: 0, used: new Map(), next: 0, mined: 0 }
    accounts.set(from, nonces)
    return nonces
  }

  /** Sets the state of a nonce; undefined frees it. */
  function setNonce(from: Address, nonce: number, state: SentTransaction['state'] | undefined) {
    const nonces = noncesOf(from)
    const { used } = nonces
    if (state === undefined) used.delete(nonce)
    else if (nonce >= nonces.base) used.set(nonce, state)
    if (state === undefined) nonces.next = Math.min(nonces.next, nonce)
    if (state === undefined || state === 'pending') nonces.mined = Math.min(nonces.mined, nonce)
    while (used.get(nonces.base) === 'final') used.delete(nonces.base++)
    if (nonces.base === 0 && used.size === 0) accounts.delete(from)
  }

  function counts(from: Address): SentCounts {
    // Addresses that clients ask for are not kept.
    const nonces = accounts.get(from)
    if (!nonces) return { mined: 0, next: 0 }
    const { base, used } = nonces
    let mined = Math.max(base, nonces.mined)
    while (used.has(mined) && used.get(mined) !== 'pending') mined += 1
    let next = Math.max(mined, nonces.next)
    while (used.has(next)) next += 1
    nonces.mined = mined
    nonces.next = next
    return { mined, next }
  }

  const setContract = (record: ContractRecord, until: number) =>
    keep(contracts, record.predicted, { record, change: ++lastChange, until }, MAX_CONTRACTS)

  function set(sent: SentTransaction, until: number) {
    for (const hash of hashesOf(sent)) {
      open.delete(hash)
      if (sent.state === 'final') keep(final, hash, { sent, until })
      else open.set(hash, sent)
    }
    setNonce(sent.from, sent.nonce, sent.state)
  }

  function end(sent: SentTransaction) {
    for (const hash of hashesOf(sent)) open.delete(hash)
    setNonce(sent.from, sent.nonce, undefined)
    const { actual, predicted } = createdContract(sent.id, sent.from, sent.nonce)
    const known = contracts.get(predicted)
    if (known?.record.actual === actual) setContract({ predicted }, known.until)
  }

  function apply(fact: SentFact): void {
    switch (fact.fact) {
      case 'sent': {
        const { sent, until } = fact
        // Earlier versions wrote neither of the two, and may have broadcast it more than once.
        set({ ...sent, state: sent.state ?? 'pending', broadcasts: sent.broadcasts ?? 2 }, until)
        // It was released before, and is sent again.
        for (const hash of hashesOf(sent)) endings.delete(hash)
        return
      }
      case 'changed': {
        const { block: _, hex, ...rest } = open.get(fact.id) ?? {}
        const isFinal = fact.sent.state === 'final'
        const sent = { ...rest, ...(hex && !isFinal && { hex }), ...fact.sent }
        if (open.has(fact.id)) set(sent as SentTransaction, fact.until)
        return
      }
      case 'released': {
        const { ending, id, until } = fact
        for (const hash of hashesOf(ending)) keep(endings, hash, { ending, until })
        const sent = open.get(id)
        return sent && end(sent)
      }
      case 'mined':
        return apply({ fact: 'changed', id: fact.id, sent: { state: 'final' }, until: untilNow() })
      case 'contract':
        return setContract(fact.contract, fact.until)
      case 'nonces': {
        const { above, from, mined } = fact
        const nonces = noncesOf(from)
        nonces.base = Math.max(nonces.base, mined)
        for (const nonce of above) setNonce(from, nonce, 'final')
      }
    }
  }

  function make(fact: SentFact): void {
    apply(fact)
    onFact(fact)
  }

  /** The first of the transactions that are not final, by a rank; those without one are left out. */
  function first(limit: number, rankOf: (sent: SentTransaction) => number | undefined): Hash[] {
    const ranked: { hash: Hash; rank: number }[] = []
    for (const [hash, sent] of open) {
      const rank = hash === sent.id ? rankOf(sent) : undefined
      if (rank !== undefined) ranked.push({ hash, rank })
    }
    ranked.sort((a, b) => a.rank - b.rank)
    return ranked.slice(0, limit).map(({ hash }) => hash)
  }

  return {
    apply,
    reserve({ nonce, ...sent }: NewTransaction): Reservation {
      const known = (sent.alias && find(sent.alias)) ?? find(sent.id)
      if (known) return { outcome: 'known', id: known.id }
      const { next } = counts(sent.from)
      if (nonce !== undefined && nonce !== next) {
        const { base = 0, used } = accounts.get(sent.from) ?? {}
        const holder = nonce < base ? 'final' : used?.get(nonce)
        const outcome = holder === undefined ? 'high' : holder === 'pending' ? 'taken' : 'low'
        return { outcome, next }
      }
      make({ fact: 'sent', sent: firstRecord(sent, next), until: untilNow() })
      return { outcome: 'reserved', nonce: next }
    },
    change(id: Hash, event: SentEvent): Changed {
      const known = find(id)
      const next = known && transition(known, event)
      if (!next) return { changed: false, sent: known }
      const { ending, sent } = next
      const { block, broadcasts, state } = sent
      const until = untilNow()
      if (ending) make({ fact: 'released', id, ending, until })
      else
        make({ fact: 'changed', id, sent: { state, broadcasts, ...(block && { block }) }, until })
      return { changed: true, sent: ending ? undefined : sent }
    },
    counts,
    unfinished: ({ from, expiredAt = Infinity, limit }: Wanted<'unfinished'>): Hash[] =>
      first(limit, (sent) => {
        const isWanted = (!from || sent.from === from) && sent.expiration < expiredAt
        return isWanted ? sent.expiration : undefined
      }),
    mined: ({ limit, upTo }: Wanted<'mined'>): Hash[] =>
      first(limit, ({ block }) => (block && block.number <= upTo ? block.number : undefined)),
    isOpen: (id: Hash): boolean => open.has(id),
    find,
    ending: (hash: Hash): Ending | undefined => fresh(endings.get(hash))?.ending,
    addContract(id: Hash): void {
      const sent = find(id)
      const contract = sent && createdContract(id, sent.from, sent.nonce)
      if (contract && contracts.get(contract.predicted)?.record.actual !== contract.actual)
        make({ fact: 'contract', contract, until: untilNow() })
    },
    contracts(cursor: number): { contracts: ContractRecord[]; next: number } {
      if (cursor === lastChange) return { contracts: [], next: cursor }
      const later = [...contracts.values()].filter(({ change }) => change > cursor)
      return { contracts: later.map(({ record }) => record), next: lastChange }
    },
    /** The facts that rebuild this state, without outdated ones. Endings come first: an id may be sent again after it ended. */
    *facts(): Generator<SentFact> {
      for (const [hash, { ending, until }] of endings)
        if (hash === ending.id && until > now()) yield { fact: 'released', id: hash, ending, until }
      for (const [from, { base, used }] of accounts) {
        const above = [...used].filter(([, state]) => state === 'final').map(([nonce]) => nonce)
        if (base > 0 || above.length > 0)
          yield { fact: 'nonces', from, mined: base, above: above.toSorted((a, b) => a - b) }
      }
      for (const [hash, { sent, until }] of final)
        if (hash === sent.id && until > now()) yield { fact: 'sent', sent, until }
      for (const [hash, sent] of open)
        if (hash === sent.id) yield { fact: 'sent', sent, until: untilNow() }
      for (const { record, until } of contracts.values()) {
        const { actual, predicted } = record
        if (until > now() && actual)
          yield { fact: 'contract', contract: { actual, predicted }, until }
      }
    },
  }
}

export declare namespace createSentState {
  type Options = {
    /** Maximum number of hashes of final transactions, and of endings. @default 40_000 */
    capacity?: number
    /** Changes of contracts that an earlier state has counted: cursors of it stay below those of this one. @default 0 */
    changes?: number
    /** @default Date.now */
    now?: () => number
    /** Called with each change after it was made. */
    onFact?: (fact: SentFact) => void
  }
}
