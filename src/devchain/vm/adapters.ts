import { Address, unprefixedHexToBytes } from '@ethereumjs/util'

import { readFetching } from '../state/missing.ts'
import type { State } from '../state/state.ts'
import type { BlockContext } from './blockContext.ts'

/** Deletes a contract: its account, code and storage. */
export function destroy(state: State, address: string): void {
  const generation = state.get('property', `generation:${address}`) ?? 0n
  state.set('property', `generation:${address}`, generation + 1n)
  state.set('account', address, undefined)
  state.set('code', address, undefined)
  state.set('contract', address, undefined)
  state.set('nonce', address, undefined)
}

/** Converts an address of 42 hex characters for the EVM. Of another length, the last 20 bytes are used. */
export function evmAddress(address: string): Address {
  return new Address(unprefixedHexToBytes(address.slice(2).padStart(40, '0').slice(-40)))
}

/** The block hashes of BLOCKHASH. */
export function blockchainOf(block: BlockContext) {
  const blockchain = {
    async getBlock(number: number) {
      const hash = await readFetching(() => block.hashOf(number))
      return { hash: () => unprefixedHexToBytes(hash ?? '00'.repeat(32)) }
    },
    putBlock: async () => undefined,
    shallowCopy: () => blockchain,
  }
  return blockchain
}
