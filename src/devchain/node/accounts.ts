import type { Address, Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import * as schemas from '../../codec/schemas.ts'
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

const eth_getAccountInfo = defineMethod({
  params: [address, optional(blockRef, 'latest')],
  result: schemas.object({
    balance: schemas.amount,
    nonce: schemas.quantity,
    code: schemas.bytes,
  }),
  summary: 'balance, nonce and code of an account, at any block',
  async handler({ execution }, [who, ref], call) {
    const [balance, nonce, code] = await Promise.all([
      execution.balance(who, ref, call),
      execution.nonce(who, ref, call),
      execution.code(who, ref, call),
    ])
    return { balance: numberToHex(balance), nonce: numberToHex(nonce), code }
  },
})

const eth_getStorageValues = defineMethod({
  params: [slotLists, optional(blockRef, 'latest')],
  summary: 'several storage slots of several accounts, at any block',
  async handler({ execution }, [lists, ref], call) {
    const values: Record<Address, Hex[]> = {}
    for (const { slots, who } of lists as readonly SlotList[])
      values[who] = await Promise.all(slots.map((slot) => execution.storage(who, slot, ref, call)))
    return values
  },
})

/** Methods that read several values of accounts at once, which cost nothing on a chain in this process. */
export const accountMethods: Record<string, AnyMethod> = {
  eth_getAccountInfo,
  eth_getStorageValues,
}
