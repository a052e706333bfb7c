import type { Step } from './frame.ts'

/** Operations whose first operand is an account. */
const LOOKS_AT = new Set([0x31, 0x3b, 0x3c, 0x3f, 0xff])
/** Operations whose second operand is an account. */
const CALLS = new Set([0xd0, 0xf1, 0xf2, 0xf4, 0xfa])
const SLOTS = new Set([0x54, 0x55])

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
