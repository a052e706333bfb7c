import { stackAddress } from '../vm/energy.ts'
import { native } from '../vm/vmState.ts'
import type { Step } from './frame.ts'

/** Operations whose first operand is an account. */
const LOOKS_AT = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff])
/** Operations whose second operand is an account. */
const CALLS = new Set([0xd0, 0xf1, 0xf2, 0xf4, 0xfa])
const SLOTS = new Set([0x54, 0x55])

/** Collects the accounts that a run uses, each with its slots as 64 hex characters. */
export function createTouched() {
  const touched = new Map<string, Set<string>>()

  /** Adds an account. Returns its slots. */
  function touch(address: string): Set<string> {
    const slots = touched.get(address) ?? new Set()
    touched.set(address, slots)
    return slots
  }

  /** Adds the account or the slot that an operation uses. */
  function step(step: Step): void {
    const { account, slot } = touchedBy(step)
    if (slot !== undefined) touch(step.address).add(word(slot))
    if (account !== undefined) touch(native(stackAddress(account)))
  }

  return { step, touch, touched }
}

/** The account or the slot that an operation uses, as the word on the stack. The slot is one of the step's own account. */
export function touchedBy({ code, stack }: Pick<Step, 'code' | 'stack'>): {
  account?: bigint | undefined
  slot?: bigint | undefined
} {
  if (SLOTS.has(code)) return { slot: stack.at(-1) }
  if (LOOKS_AT.has(code)) return { account: stack.at(-1) }
  return CALLS.has(code) ? { account: stack.at(-2) } : NOTHING
}

const NOTHING = Object.freeze({})

/** A word of the stack as 64 hex characters. */
export const word = (value: bigint): string => value.toString(16).padStart(64, '0')
