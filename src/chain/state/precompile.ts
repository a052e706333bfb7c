import type { Address, Hex } from 'viem'

/**
 * Whether an address is in the range of the precompiled contracts. They have no code, so the node rejects a direct call.
 * Creation code can call them.
 */
export function isPrecompile(address: Address): boolean {
  const number = BigInt(address)
  return number > 0n && number <= MAX_PRECOMPILE
}

/** End of the range. The chain’s own contracts for votes and stakes begin at 0x01000001. */
const MAX_PRECOMPILE = 0xffff_ffffn

/**
 * Creation code that calls an address with `data` and reverts with the result. If the call fails, it runs an invalid
 * opcode.
 */
export function callThrough(address: Address, data: Hex): Hex {
  const size = ((data.length - 2) / 2).toString(16).padStart(6, '0')
  const code = [
    `62${size}`, // PUSH3 size, kept for the call
    `80`, // DUP1
    `60${PROLOGUE}`, // PUSH1 where data begins
    `6000`, // PUSH1 0
    `39`, // CODECOPY
    `60006000`, // PUSH1 0 · PUSH1 0: nothing is copied back by the call
    `82`, // DUP3 size
    `6000`, // PUSH1 0
    `73${address.slice(2)}`, // PUSH20
    `5afa`, // GAS · STATICCALL
    `3d600060003e`, // RETURNDATASIZE · PUSH1 0 · PUSH1 0 · RETURNDATACOPY
    `60${SUCCESS}57fe`, // PUSH1 · JUMPI · INVALID
    `5b3d6000fd`, // JUMPDEST · RETURNDATASIZE · PUSH1 0 · REVERT
  ].join('')
  return `0x${code}${data.slice(2)}`
}

/** Length of the code before its data, and the offset of its JUMPDEST. */
const PROLOGUE = '37'
const SUCCESS = '32'
