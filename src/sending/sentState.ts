import type { Address, Hash } from 'viem'

import { createdContract } from './contracts.ts'
import {
  type ContractRecord,
  type CreatedContract,
  type Ending,
  MAX_CONTRACTS,
  type Release,
  type Reservation,
  SENT_TTL_SECONDS,
  type SentCounts,
  type SentStore,
  type SentTransaction,
} from './sentStore.ts'

/**
 * Maximum number of transactions of the record, and of endings. The oldest that are not pending are dropped first. Nonces are never
 * dropped.
 */
const CAPACITY = 20_000

/**
 * One change of the record of sent transactions. All facts in order rebuild the state. Applying a fact twice changes
 * nothing.
 */
export type SentFact =
  | { fact: 'sent'; sent: SentTransaction; until: number }
  | { fact: 'released'; id: Hash; ending: Ending; until: number }
  | { fact: 'mined'; id: Hash }
  | { fact: 'contract'; contract: CreatedContract; until: number }
  | { fact: 'nonces'; from: Address; mined: number; above: number[] }

/**
 * Nonces of one account: all below `mined` are mined, `above` has the mined ones after a gap, `pending` the pending ones.
 */
type Nonces = { mined: number; above: Set<number>; pending: Map<number, Hash> }

const emptyNonces = (): Nonces => ({ mined: 0, above: new Set(), pending: new Map() })

const isEmpty = ({ above, mined, pending }: Nonces) =>
  mined === 0 && above.size === 0 && pending.size === 0

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
  const pending = new Map<Hash, SentTransaction>()
  /** By predicted address, in the order of their changes. */
  const contracts = new Map<Address, { record: ContractRecord; change: number; until: number }>()
  let lastChange = changes

  /** The nonces of an account for reading. Addresses that clients ask for are not kept. */
  const readNonces = (from: Address): Nonces => accounts.get(from) ?? emptyNonces()

  function noncesOf(from: Address): Nonces {
    const nonces = readNonces(from)
    accounts.set(from, nonces)
    return nonces
  }

  function setContract(record: ContractRecord, until: number) {
    contracts.delete(record.predicted)
    contracts.set(record.predicted, { record, change: ++lastChange, until })
    for (const [predicted, oldest] of contracts) {
      if (oldest.until > now() && contracts.size <= MAX_CONTRACTS) return
      contracts.delete(predicted)
    }
  }

  /** The lowest nonce that is neither mined nor pending. */
  function nextOf({ above, mined, pending }: Nonces): number {
    let next = mined
    while (above.has(next) || pending.has(next)) next += 1
    return next
  }

  function remove(id: Hash) {
    const alias = transactions.get(id)?.sent.alias
    if (alias) aliases.delete(alias)
    transactions.delete(id)
  }

  /** Drops entries that are too old or too many. Insertion order is age. */
  function trim() {
    for (const [id, { until }] of transactions) {
      if (until > now() && transactions.size <= capacity) return
      if (!pending.has(id)) remove(id)
    }
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
        if (transactions.has(sent.id)) return
        transactions.set(sent.id, { sent, until })
        if (sent.alias) aliases.set(sent.alias, sent.id)
        pending.set(sent.id, sent)
        noncesOf(sent.from).pending.set(sent.nonce, sent.id)
        return trim()
      }
      case 'released': {
        // Journals of older versions have no endings.
        if (fact.ending) setEnding(fact.ending, fact.until)
        const sent = pending.get(fact.id)
        if (!sent) return
        pending.delete(sent.id)
        const nonces = noncesOf(sent.from)
        nonces.pending.delete(sent.nonce)
        if (isEmpty(nonces)) accounts.delete(sent.from)
        const { actual, predicted } = createdContract(sent.id, sent.from, sent.nonce)
        const known = contracts.get(predicted)
        if (known?.record.actual === actual) setContract({ predicted }, known.until)
        return remove(sent.id)
      }
      case 'mined': {
        const sent = pending.get(fact.id)
        if (!sent) return
        pending.delete(sent.id)
        // The bytes are needed only while they may have to be sent again.
        const { hex: _, ...rest } = sent
        const entry = transactions.get(sent.id)
        if (entry) entry.sent = rest
        const nonces = noncesOf(sent.from)
        nonces.pending.delete(sent.nonce)
        if (sent.nonce >= nonces.mined) nonces.above.add(sent.nonce)
        while (nonces.above.delete(nonces.mined)) nonces.mined += 1
        return
      }
      case 'contract':
        return setContract(fact.contract, fact.until)
      case 'nonces': {
        const nonces = noncesOf(fact.from)
        nonces.mined = Math.max(nonces.mined, fact.mined)
        for (const nonce of fact.above) nonces.above.add(nonce)
      }
    }
  }

  return {
    apply,
    /** The result of reserving a nonce, and the fact that reserves it. The caller applies it. */
    reserve({ nonce, ...sent }: Parameters<SentStore['reserve']>[0]): {
      reservation: Reservation
      fact?: SentFact
    } {
      const known =
        (sent.alias && aliases.get(sent.alias)) ?? (transactions.has(sent.id) ? sent.id : undefined)
      if (known) return { reservation: { outcome: 'known', id: known } }
      const nonces = readNonces(sent.from)
      const next = nextOf(nonces)
      if (nonce !== undefined && nonce !== next) {
        const isMined = nonce < nonces.mined || nonces.above.has(nonce)
        const outcome = isMined ? 'low' : nonces.pending.has(nonce) ? 'taken' : 'high'
        return { reservation: { outcome, next } }
      }
      return {
        reservation: { outcome: 'reserved', nonce: next },
        fact: {
          fact: 'sent',
          sent: { ...sent, nonce: next },
          until: now() + SENT_TTL_SECONDS * 1000,
        },
      }
    },
    counts(from: Address): SentCounts {
      const nonces = readNonces(from)
      return { mined: nonces.mined, next: nextOf(nonces) }
    },
    pending: ({ from, expiredAt = Infinity, limit }: SentStore.PendingOptions): Hash[] =>
      [...pending.values()]
        .filter((sent) => (!from || sent.from === from) && sent.expiration < expiredAt)
        .toSorted((a, b) => a.expiration - b.expiration)
        .slice(0, limit)
        .map(({ id }) => id),
    isPending: (id: Hash): boolean => pending.has(id),
    find(hash: Hash): SentTransaction | undefined {
      const entry = transactions.get(aliases.get(hash) ?? hash)
      return entry && entry.until > now() ? entry.sent : undefined
    },
    ending(hash: Hash): Ending | undefined {
      const entry = endings.get(hash)
      return entry && entry.until > now() ? entry.ending : undefined
    },
    /** The fact that releases a pending transaction; none if it is not pending. The caller applies it. */
    released(id: Hash, why: Release): SentFact | undefined {
      const sent = pending.get(id)
      if (!sent) return undefined
      const { alias, expiration } = sent
      const ending = { id, ...(alias && { alias }), expiration, ...why }
      return { fact: 'released', id, ending, until: now() + SENT_TTL_SECONDS * 1000 }
    },
    /** The fact that adds the contract of a transaction; none if it is known or was released. The caller applies it. */
    createdBy(id: Hash): SentFact | undefined {
      const sent = transactions.get(id)?.sent
      if (!sent) return undefined
      const contract = createdContract(id, sent.from, sent.nonce)
      if (contracts.get(contract.predicted)?.record.actual === contract.actual) return undefined
      return { fact: 'contract', contract, until: now() + SENT_TTL_SECONDS * 1000 }
    },
    contracts(cursor: number): { contracts: ContractRecord[]; next: number } {
      if (cursor === lastChange) return { contracts: [], next: cursor }
      const later = [...contracts.values()].filter(({ change }) => change > cursor)
      return { contracts: later.map(({ record }) => record), next: lastChange }
    },
    /** The facts that rebuild this state, without outdated ones. */
    *facts(): Generator<SentFact> {
      for (const [from, { above, mined }] of accounts)
        if (mined > 0 || above.size > 0)
          yield { fact: 'nonces', from, mined, above: [...above].toSorted((a, b) => a - b) }
      for (const { sent, until } of transactions.values()) {
        if (until <= now() && !pending.has(sent.id)) continue
        yield { fact: 'sent', sent, until }
        if (!pending.has(sent.id)) yield { fact: 'mined', id: sent.id }
      }
      for (const [key, { ending, until }] of endings)
        if (key === ending.id && until > now()) yield { fact: 'released', id: key, ending, until }
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
