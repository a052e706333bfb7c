import type { Address, Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
import { toNativeAddress } from '../../lib/address.ts'
import { isObject } from '../../lib/isObject.ts'
import { type AnyMethod, defineMethod } from '../../rpc/method.ts'
import {
  address,
  arrayOf,
  blockRef,
  optional,
  type Param,
  storageSlot,
  show,
} from '../../rpc/params/params.ts'
import { nonceOf, slotKey } from '../index.ts'
import type { DevChain } from '../index.ts'
import { heightBeforeFork, stateOf } from './blockState.ts'

/** The slots of one account. */
type SlotList = { who: Address; slots: readonly bigint[] }

/** The slots to read, by account. */
const slotLists: Param<readonly SlotList[]> = (input) => {
  if (!isObject(input)) throw new Error(`expected slots by account, got ${show(input)}`)
  return Object.entries(input).map(([who, slots]) => ({
    who: address(who),
    slots: arrayOf(storageSlot)(slots),
  }))
}

/** Methods that read accounts at any block. The chain keeps every state in memory. */
export function accountMethods(chain: DevChain): Record<string, AnyMethod> {
  const eth_getBalance = defineMethod({
    params: [address, optional(blockRef, 'latest')],
    result: schemas.amount,
    summary: 'coins of an account, at any block',
    async handler({ chain: { view } }, [who, ref]) {
      const early = heightBeforeFork(chain, ref)
      if (chain.fork && early !== undefined)
        return numberToHex(await chain.fork.balanceAt(toNativeAddress(who), early))
      const { state } = await stateOf(chain, ref, view)
      return numberToHex(state.get('account', toNativeAddress(who))?.balance ?? 0n)
    },
  })

  const eth_getCode = defineMethod({
    params: [address, optional(blockRef, 'latest')],
    summary: 'runtime code of a contract, at any block',
    async handler({ chain: { view } }, [who, ref]) {
      const { state } = await stateOf(chain, ref, view)
      const code = state.get('code', toNativeAddress(who)) ?? new Uint8Array(0)
      return `0x${Buffer.from(code).toString('hex')}`
    },
  })

  const eth_getStorageAt = defineMethod({
    params: [address, storageSlot, optional(blockRef, 'latest')],
    summary: 'a storage slot, at any block',
    async handler({ chain: { view } }, [who, slot, ref]): Promise<Hex> {
      const { state } = await stateOf(chain, ref, view)
      const position = Buffer.from(slot.toString(16).padStart(64, '0'), 'hex')
      const value = state.get('storage', slotKey(state, toNativeAddress(who), position)) ?? ''
      return `0x${value.padStart(64, '0')}`
    },
  })

  const eth_getTransactionCount = defineMethod({
    params: [address, optional(blockRef, 'latest')],
    summary:
      'Ethereum transactions that an account has sent, at any block; native ones do not count',
    async handler({ chain: { view } }, [who, ref]) {
      const account = toNativeAddress(who)
      if (ref === 'pending' && view === 'full')
        return numberToHex(chain.ledger.pendingNonce(account))
      const { state } = await stateOf(chain, ref, view)
      return numberToHex(nonceOf(state, account))
    },
  })

  const eth_getAccountInfo = defineMethod({
    params: [address, optional(blockRef, 'latest')],
    result: schemas.object({
      balance: schemas.amount,
      nonce: schemas.quantity,
      code: schemas.bytes,
    }),
    summary: 'balance, nonce and code of an account, at any block',
    async handler(context, [who, ref], call) {
      const [balance, nonce, code] = await Promise.all([
        eth_getBalance.handler(context, [who, ref], call),
        eth_getTransactionCount.handler(context, [who, ref], call),
        eth_getCode.handler(context, [who, ref], call),
      ])
      return { balance, nonce, code }
    },
  })

  const eth_getStorageValues = defineMethod({
    params: [slotLists, optional(blockRef, 'latest')],
    summary: 'several storage slots of several accounts, at any block',
    async handler(context, [lists, ref], call) {
      const values: Record<Address, Hex[]> = {}
      for (const { slots, who } of lists as readonly SlotList[])
        values[who] = await Promise.all(
          slots.map(async (slot) => eth_getStorageAt.handler(context, [who, slot, ref], call)),
        )
      return values
    },
  })

  return {
    eth_getAccountInfo,
    eth_getBalance,
    eth_getCode,
    eth_getStorageAt,
    eth_getStorageValues,
    eth_getTransactionCount,
  }
}
