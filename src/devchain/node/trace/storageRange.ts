import { keccak_256 } from '@noble/hashes/sha3.js'

import { toNativeAddress } from '../../../lib/address.ts'
import { RpcError } from '../../../lib/errors.ts'
import { type AnyMethod, defineMethod } from '../../../rpc/method.ts'
import { address, blockRef, bytes, index, optional, quantity } from '../../../rpc/params/params.ts'
import { type DevChain, slotKey, stateBehind } from '../../index.ts'
import { blockOf } from './places.ts'

/** Most slots of one answer. */
const MOST = 10_000n

/** `debug_storageRangeAt`: the slots of a contract, in the order of their hashes, as in geth. */
export function storageRangeMethods(chain: DevChain): Record<string, AnyMethod> {
  const { ledger } = chain

  const debug_storageRangeAt = defineMethod({
    params: [blockRef, index, address, optional(bytes, '0x'), optional(quantity, 256n)],
    summary:
      'slots of a contract before a transaction of a block, in the order of their hashes; at block 0 and in a block without that transaction those after the newest block or the block',
    async handler({ chain: { view } }, [ref, position, who, start, limit]) {
      if (chain.fork)
        throw new RpcError(-32000, 'the slots of a contract of the forked chain are not known')
      // TRE has the newest state only, and its clients ask for block 0, where no contract exists.
      const block = blockOf(chain, ref === 0 ? 'latest' : ref, view)
      const isInside = position < block.transactions.length && ref !== 0
      const state = isInside
        ? await stateBehind(ledger, block, position)
        : ledger.stateAt(block.header.number)
      const prefix = slotKey(state, toNativeAddress(who), new Uint8Array(0))
      const first = start.slice(2).padEnd(64, '0')
      const slots = ledger
        .keysOf('storage', prefix)
        .flatMap((key) => {
          const value = state.get('storage', key)
          return value === undefined ? [] : [slotOf(key.slice(prefix.length), value)]
        })
        .filter(({ hash }) => hash >= first)
        .toSorted((a, b) => (a.hash < b.hash ? -1 : 1))
      const count = Number(limit < MOST ? limit : MOST)
      const next = slots[count]
      return {
        storage: Object.fromEntries(
          slots.slice(0, count).map(({ hash, ...slot }) => [`0x${hash}`, slot]),
        ),
        nextKey: next ? `0x${next.hash}` : null,
      }
    },
  })

  return { debug_storageRangeAt }
}

function slotOf(slot: string, value: string) {
  const hash = Buffer.from(keccak_256(Buffer.from(slot, 'hex'))).toString('hex')
  return { hash, key: `0x${slot}`, value: `0x${value.padStart(64, '0')}` }
}
