import type { Address, Hash, Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import type { TracedAccount } from '../../index.ts'

/** The result of geth's `prestateTracer` in its diff mode. */
export type PrestateDiff = {
  pre: Record<Address, TracedAccount>
  post: Record<Address, TracedAccount>
}

/** A change in Parity's format: unchanged, created, deleted, changed. */
type Change<value> = '=' | { '+': value } | { '-': value } | { '*': { from: value; to: value } }

/** The changes of an account, in Parity's format. */
export type AccountDiff = {
  balance: Change<Hex>
  code: Change<Hex>
  nonce: Change<Hex>
  storage: Record<Hash, Change<Hash>>
}

const EMPTY: Hash = `0x${'00'.repeat(32)}`

/** Converts geth's diff to Parity's `stateDiff`. */
export function stateDiffOf({ post, pre }: PrestateDiff): Record<Address, AccountDiff> {
  const accounts = Object.keys({ ...pre, ...post }) as Address[]
  return Object.fromEntries(accounts.map((who) => [who, accountDiff(pre[who], post[who])]))
}

function accountDiff(
  before: TracedAccount | undefined,
  after: TracedAccount | undefined,
): AccountDiff {
  const [was, is] = [before ?? {}, after ?? {}]
  /** Values that geth omits from `post` did not change. */
  const change = <value>(from: value, to: value | undefined): Change<value> => {
    if (!before) return { '+': to ?? from }
    if (!after) return { '-': from }
    return to === undefined ? '=' : { '*': { from, to } }
  }
  const slots = Object.keys({ ...was.storage, ...is.storage }) as Hash[]
  const nonce = is.nonce === undefined ? undefined : numberToHex(is.nonce)
  return {
    balance: change(was.balance ?? '0x0', is.balance),
    code: change(was.code ?? '0x', is.code),
    nonce: change(numberToHex(was.nonce ?? 0), nonce),
    storage: Object.fromEntries(
      slots.map((slot) => [
        slot,
        // Geth omits empty slots.
        change(was.storage?.[slot] ?? EMPTY, is.storage?.[slot] ?? EMPTY),
      ]),
    ),
  }
}
