import type { Address, Hex } from 'viem'

import { ZERO_ADDRESS } from '../lib/address.ts'
import type { CallFrame, CallKind } from './callFrame.ts'

/** A transfer, destruction or creation inside a transaction, with Otterscan's numbers for them. */
type Operation = { type: 0 | 1 | 2 | 3; from: Address; to: Address; value: Hex }

/** A frame in Otterscan's format. */
type Entry = {
  type: CallKind
  depth: number
  from: Address
  to: Address
  value: Hex | null
  input: Hex
  output: Hex
}

const TYPES: Partial<Record<CallKind, Operation['type']>> = {
  CALL: 0,
  SELFDESTRUCT: 1,
  CREATE: 2,
  CREATE2: 3,
}

/** The transfers and creations inside a transaction, without the transaction itself and failed frames. */
export function operationsOf({ calls = [], error }: CallFrame): Operation[] {
  if (error !== undefined) return []
  return calls.flatMap((call) => {
    const { from, to, type: kind, value = '0x0' } = call
    const type = TYPES[kind]
    const isShown = type !== undefined && to && call.error === undefined
    const own: Operation[] =
      isShown && (type !== 0 || value !== '0x0') ? [{ type, from, to, value }] : []
    return [...own, ...operationsOf(call)]
  })
}

/**
 * Every frame with its depth, each before those inside it. Otterscan reads `to` as an address, so a creation that failed before it
 * had one gets the zero address.
 */
export function entriesOf(frame: CallFrame, depth = 0): Entry[] {
  const {
    calls = [],
    from,
    input = '0x',
    output = '0x',
    to = ZERO_ADDRESS,
    type,
    value = null,
  } = frame
  const entry = {
    type,
    depth,
    from,
    to,
    value: type === 'DELEGATECALL' ? null : value,
    input,
    output,
  }
  return [entry, ...calls.flatMap((call) => entriesOf(call, depth + 1))]
}
