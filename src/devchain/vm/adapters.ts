import { Address, unprefixedHexToBytes } from '@ethereumjs/util'

import { reading } from '../missing.ts'
import type { State } from '../state.ts'
import type { BlockContext } from './blockContext.ts'

/** Ends a contract: account, code and what was stored. */
export function destroy(state: State, address: string): void {
  const generation = state.get('property', `generation:${address}`) ?? 0n
  state.set('property', `generation:${address}`, generation + 1n)
  state.set('account', address, undefined)
  state.set('code', address, undefined)
  state.set('contract', address, undefined)
  state.set('nonce', address, undefined)
}

/** The EVM's form of an address of 42 hex characters; what is shorter or longer keeps its last 20 bytes. */
export function evmAddress(address: string): Address {
  return new Address(unprefixedHexToBytes(address.slice(2).padStart(40, '0').slice(-40)))
}

/** The block hashes that BLOCKHASH sees. */
export function blockchainOf(block: BlockContext) {
  const blockchain = {
    async getBlock(number: number) {
      const hash = await reading(() => block.hashOf(number))
      return { hash: () => unprefixedHexToBytes(hash ?? '00'.repeat(32)) }
    },
    putBlock: async () => undefined,
    shallowCopy: () => blockchain,
  }
  return blockchain
}
