import type { Address, Hash, Hex } from 'viem'
import { bytesToHex, numberToHex } from 'viem/utils'

import type { PrestateOptions } from '../../codec/traceRequest.ts'
import type { Unit } from '../../codec/unit.ts'
import { balanceOf } from '../state/balance.ts'
import { nonceOf } from '../state/nonce.ts'
import type { StateReader } from '../state/state.ts'
import { slotKey } from '../vm/vmState.ts'
import { plain } from './callTracer.ts'
import type { Frame } from './frame.ts'
import { recordFrames } from './frames.ts'
import { createTouched } from './touched.ts'
import type { TracedRun, Tracer } from './tracer.ts'

/** An account in geth's format. */
export type TracedAccount = {
  balance?: Hex
  nonce?: number
  code?: Hex
  storage?: Record<Hash, Hash>
}

type Accounts = Record<Address, TracedAccount>

/** The tables of a state whose keys are the accounts that a trace shows. */
const CHANGED = new Set<string | undefined>(['account', 'code', 'nonce'])

const ZERO: Hash = `0x${'00'.repeat(32)}`

/** Geth's `prestateTracer`: the accounts and slots that a run reads, with their values before it, or their changes. */
export function createPrestateTracer(options: PrestateOptions, unit: Unit): Tracer {
  const { step, touch, touched } = createTouched()

  function lookUp({ from, to }: Pick<Frame, 'from' | 'to'>): void {
    touch(from)
    if (to !== undefined) touch(to)
  }

  function snapshot(state: StateReader, address: string, slots: Iterable<string>) {
    const code = state.get('code', address)
    return {
      exists: state.get('account', address) !== undefined,
      balance: balanceOf(state, address),
      nonce: nonceOf(state, address),
      code: code && code.length > 0 ? bytesToHex(code) : undefined,
      slots: [...slots].map((slot) => {
        const key = slotKey(state, address, Uint8Array.from(Buffer.from(slot, 'hex')))
        const value = state.get('storage', key) ?? ''
        return [`0x${slot}`, `0x${value.padStart(64, '0')}`] as [Hash, Hash]
      }),
    }
  }

  type Snapshot = ReturnType<typeof snapshot>

  const isEmpty = ({ balance, code, nonce }: Snapshot) =>
    balance === 0n && nonce === 0n && code === undefined

  function print({ balance, code, nonce, slots }: Snapshot): TracedAccount {
    return {
      balance: numberToHex(unit.fromSun(balance)),
      ...(nonce > 0n && { nonce: Number(nonce) }),
      ...(code && !options.disableCode && { code }),
      ...(slots.length > 0 && !options.disableStorage && { storage: Object.fromEntries(slots) }),
    }
  }

  /** An account before and after the run; undefined if it did not change. */
  function difference(
    before: Snapshot,
    after: Snapshot,
  ): { pre: TracedAccount; post?: TracedAccount } | undefined {
    const changed = before.slots.filter(([, value], index) => value !== after.slots[index]?.[1])
    const pre = print({ ...before, slots: changed.filter(([, value]) => value !== ZERO) })
    // A destroyed account is in `pre` only.
    if (before.exists && !after.exists) return { pre: print(before) }
    const slots = after.slots.filter(
      ([, value], index) => value !== before.slots[index]?.[1] && value !== ZERO,
    )
    const post: TracedAccount = {
      ...(before.balance !== after.balance && {
        balance: numberToHex(unit.fromSun(after.balance)),
      }),
      ...(before.nonce !== after.nonce && { nonce: Number(after.nonce) }),
      ...(before.code !== after.code && !options.disableCode && { code: after.code ?? '0x' }),
      ...(slots.length > 0 && !options.disableStorage && { storage: Object.fromEntries(slots) }),
    }
    const isChanged =
      Object.keys(post).length > 0 || (changed.length > 0 && !options.disableStorage)
    return isChanged ? { pre, post } : undefined
  }

  function result({ after, before, plain: message, producer }: TracedRun) {
    lookUp(message)
    touch(producer)
    // Fees, native contracts and authorizations change accounts without an operation.
    for (const name of after.changes().keys()) {
      const [table, address] = name.split(':')
      if (address && CHANGED.has(table)) touch(address)
    }
    const pre: Accounts = {}
    const post: Accounts = {}
    for (const [address, slots] of touched) {
      const was = snapshot(before, address, slots)
      const hidden = isEmpty(was) && !options.includeEmpty
      if (!options.diffMode) {
        if (!hidden) pre[plain(address)] = print(was)
        continue
      }
      const change = difference(was, snapshot(after, address, slots))
      if (!change) continue
      if (!hidden) pre[plain(address)] = change.pre
      if (change.post) post[plain(address)] = change.post
    }
    return options.diffMode ? { post, pre } : pre
  }

  return {
    observe: (events, state) =>
      void recordFrames(events, state, { enter: lookUp, leave: lookUp, step }),
    result,
  }
}
