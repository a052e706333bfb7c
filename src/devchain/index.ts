/** A chain in this process: what the rest of the program uses of it. */
export type { ChainBlock } from './block.ts'
export { createDevChain, type DevChain } from './devChain.ts'
export { type Faults, readFaults } from './faults.ts'
export { type DevAccount, MNEMONIC } from './keys.ts'
export { type ContractRecord, newAccount } from './model.ts'
export { COIN } from './resources.ts'
export type { State } from './state.ts'
export { slotKey } from './vm/vmState.ts'
