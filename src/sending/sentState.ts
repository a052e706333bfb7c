import type { Address, Hash } from 'viem'

import { createdContract } from './contracts.ts'
import {
  type Changed,
  type ContractRecord,
  type CreatedContract,
  type Ending,
  endingOf,
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

/** Maximum number of transactions of the record, and of endings. The oldest that are final are dropped first. Nonces never are. */
const CAPACITY = 20_000

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

/** The record of sent transactions in memory. All functions are synchronous. */
export type SentState = ReturnType<typeof createSentState>

/** Creates an empty record. */
export function createSentState({
  capacity = CAPACITY,
  changes = 0,
  now = Date.now,
}: createSentState.Options = {}) {
  const transactions = new Map<Hash, { sent: SentTransaction; until: number }>()
  const aliases = new Map<Hash, Hash>()
  /** By native id, and by Ethereum hash. */
  const endings = new Map<Hash, { ending: Ending; until: number }>()
  const accounts = new Map<Address, Nonces>()
  /** Those that are not final. */
  const open = new Map<Hash, SentTransaction>()
  /** By predicted address, in the order of their changes. */
  const contracts = new Map<Address, { record: ContractRecord; change: number; until: number }>()
  let lastChange = changes

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

  function setContract(record: ContractRecord, until: number) {
    contracts.delete(record.predicted)
    contracts.set(record.predicted, { record, change: ++lastChange, until })
    for (const [predicted, oldest] of contracts) {
      if (oldest.until > now() && contracts.size <= MAX_CONTRACTS) return
      contracts.delete(predicted)
    }
  }

  function remove(id: Hash) {
    const alias = transactions.get(id)?.sent.alias
    if (alias && aliases.get(alias) === id) aliases.delete(alias)
    transactions.delete(id)
  }

  /** Drops entries that are too old or too many. Insertion order is age. */
  function trim() {
    for (const [id, { until }] of transactions) {
      if (until > now() && transactions.size <= capacity) return
      if (!open.has(id)) remove(id)
    }
  }

  /** The entry of an id; a final transaction is dropped after its time, for reads and for a new reservation alike. */
  function entryOf(id: Hash) {
    const entry = transactions.get(id)
    if (!entry || entry.until > now() || open.has(id)) return entry
    remove(id)
    return undefined
  }

  function set(sent: SentTransaction, until: number) {
    transactions.set(sent.id, { sent, until })
    if (sent.alias) aliases.set(sent.alias, sent.id)
    if (sent.state === 'final') open.delete(sent.id)
    else open.set(sent.id, sent)
    setNonce(sent.from, sent.nonce, sent.state)
  }

  function end(sent: SentTransaction) {
    open.delete(sent.id)
    setNonce(sent.from, sent.nonce, undefined)
    const { actual, predicted } = createdContract(sent.id, sent.from, sent.nonce)
    const known = contracts.get(predicted)
    if (known?.record.actual === actual) setContract({ predicted }, known.until)
    remove(sent.id)
  }

  function setEnding(ending: Ending, until: number) {
    for (const key of [ending.id, ending.alias]) if (key) endings.set(key, { ending, until })
    for (const [key, oldest] of endings) {
      if (oldest.until > now() && endings.size <= capacity) return
      endings.delete(key)
    }
  }

  function apply(fact: SentFact): void {
    switch (fact.fact) {
      case 'sent': {
        const { sent, until } = fact
        // Earlier versions wrote neither of the two, and may have broadcast it more than once.
        set({ ...sent, state: sent.state ?? 'pending', broadcasts: sent.broadcasts ?? 2 }, until)
        // It was released before, and is sent again.
        for (const key of [sent.id, sent.alias]) if (key) endings.delete(key)
        return trim()
      }
      case 'changed': {
        const entry = transactions.get(fact.id)
        if (!entry) return
        const { block: _, hex, ...rest } = entry.sent
        const isFinal = fact.sent.state === 'final'
        set({ ...rest, ...(hex && !isFinal && { hex }), ...fact.sent }, fact.until)
        return
      }
      case 'released': {
        // Journals of older versions have no endings.
        if (fact.ending) setEnding(fact.ending, fact.until)
        const sent = open.get(fact.id)
        return sent && end(sent)
      }
      case 'mined': {
        const sent = open.get(fact.id)
        const next = sent && transition(sent, { event: 'final' })
        if (next && next !== 'ended') set(next, entryOf(fact.id)?.until ?? 0)
        return
      }
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

  const untilNow = () => now() + SENT_TTL_SECONDS * 1000

  return {
    apply,
    /** The result of reserving a nonce, and the fact that reserves it. The caller applies it. */
    reserve({ nonce, ...sent }: NewTransaction): { reservation: Reservation; fact?: SentFact } {
      const known = [sent.alias && aliases.get(sent.alias), sent.id].find((id) => id && entryOf(id))
      if (known) return { reservation: { outcome: 'known', id: known } }
      const { next } = counts(sent.from)
      if (nonce !== undefined && nonce !== next) {
        const { base = 0, used } = accounts.get(sent.from) ?? {}
        const holder = nonce < base ? 'final' : used?.get(nonce)
        const outcome = holder === undefined ? 'high' : holder === 'pending' ? 'taken' : 'low'
        return { reservation: { outcome, next } }
      }
      return {
        reservation: { outcome: 'reserved', nonce: next },
        fact: {
          fact: 'sent',
          sent: { ...sent, nonce: next, state: 'pending', broadcasts: 1 },
          until: untilNow(),
        },
      }
    },
    /** The result of an event, and the fact that makes it so. The caller applies it. */
    change(id: Hash, event: SentEvent): { result: Changed; fact?: SentFact } {
      const sent = entryOf(id)?.sent
      const next = sent && transition(sent, event)
      if (!sent || !next) return { result: { changed: false, sent } }
      const until = untilNow()
      if (next === 'ended') {
        const ending = endingOf(sent, event)
        const fact: SentFact = { fact: 'released', id, ending, until }
        return { result: { changed: true, sent: undefined }, fact }
      }
      const { block, broadcasts, state } = next
      const change = { state, broadcasts, ...(block && { block }) }
      return {
        result: { changed: true, sent: next },
        fact: { fact: 'changed', id, sent: change, until },
      }
    },
    counts,
    unfinished: ({ from, expiredAt = Infinity, limit }: SentStore.UnfinishedOptions): Hash[] =>
      [...open.values()]
        .filter((sent) => (!from || sent.from === from) && sent.expiration < expiredAt)
        .toSorted((a, b) => a.expiration - b.expiration)
        .slice(0, limit)
        .map(({ id }) => id),
    mined: ({ limit, upTo }: { upTo: number; limit: number }): Hash[] =>
      [...open.values()]
        .filter(({ block }) => block && block.number <= upTo)
        .toSorted((a, b) => (a.block?.number ?? 0) - (b.block?.number ?? 0))
        .slice(0, limit)
        .map(({ id }) => id),
    isOpen: (id: Hash): boolean => open.has(id),
    find: (hash: Hash): SentTransaction | undefined => entryOf(aliases.get(hash) ?? hash)?.sent,
    ending(hash: Hash): Ending | undefined {
      const entry = endings.get(hash)
      return entry && entry.until > now() ? entry.ending : undefined
    },
    /** The fact that adds the contract of a transaction; none if it is known or was released. The caller applies it. */
    createdBy(id: Hash): SentFact | undefined {
      const sent = transactions.get(id)?.sent
      if (!sent) return undefined
      const contract = createdContract(id, sent.from, sent.nonce)
      if (contracts.get(contract.predicted)?.record.actual === contract.actual) return undefined
      return { fact: 'contract', contract, until: untilNow() }
    },
    contracts(cursor: number): { contracts: ContractRecord[]; next: number } {
      if (cursor === lastChange) return { contracts: [], next: cursor }
      const later = [...contracts.values()].filter(({ change }) => change > cursor)
      return { contracts: later.map(({ record }) => record), next: lastChange }
    },
    /** The facts that rebuild this state, without outdated ones. Endings come first: an id may be sent again after it ended. */
    *facts(): Generator<SentFact> {
      for (const [key, { ending, until }] of endings)
        if (key === ending.id && until > now()) yield { fact: 'released', id: key, ending, until }
      for (const [from, { base, used }] of accounts) {
        const above = [...used].filter(([, state]) => state === 'final').map(([nonce]) => nonce)
        if (base > 0 || above.length > 0)
          yield { fact: 'nonces', from, mined: base, above: above.toSorted((a, b) => a - b) }
      }
      for (const { sent, until } of transactions.values())
        if (until > now() || open.has(sent.id)) yield { fact: 'sent', sent, until }
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
    /** Maximum number of transactions of the record. @default 20_000 */
    capacity?: number
    /** Changes of contracts that an earlier state has counted: cursors of it stay below those of this one. @default 0 */
    changes?: number
    /** @default Date.now */
    now?: () => number
  }
}
