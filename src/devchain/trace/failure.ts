import type { EVMError } from '@ethereumjs/evm'

import { operandsOf } from '../vm/failure.ts'
import type { Step } from './frame.ts'

/** Errors of the EVM that have another text in geth. */
const WORDS: Readonly<Record<string, string>> = {
  revert: 'execution reverted',
  'code store out of gas': 'contract creation code storage out of gas',
  'code size to deposit exceeds maximum code size': 'max code size exceeded',
  'static state change': 'write protection',
  'create collision': 'contract address collision',
  'insufficient balance': 'insufficient balance for transfer',
  'invalid bytecode deployed': 'invalid code: must not begin with 0xef',
  'initcode exceeds max initcode size': 'max initcode size exceeded',
  'value out of range': 'return data out of bounds',
  'stack overflow': 'stack limit reached 1024 (1023)',
  'cpu timeout': 'execution timeout',
}

/** Geth's text for the failure of a frame. `last`: its last operation, if any. */
export function failureText({ error }: EVMError, last: Step | undefined): string {
  const text = error as string
  if (text.startsWith('invalid JUMP')) return 'invalid jump destination'
  if (text === 'invalid opcode') return `invalid opcode: ${last?.name ?? 'INVALID'}`
  if (text === 'stack underflow' && last)
    return `stack underflow (${last.stack.length} <=> ${operandsOf(last.code)})`
  return WORDS[text] ?? text
}
