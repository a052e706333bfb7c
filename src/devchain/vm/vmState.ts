import type { StateManagerInterface } from '@ethereumjs/common'
import { Account, type Address, KECCAK256_NULL, unprefixedHexToBytes } from '@ethereumjs/util'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { LRUCache } from 'lru-cache'

import { readFetching } from '../state/missing.ts'
import { newAccount } from '../state/model.ts'
import { nonceOf } from '../state/nonce.ts'
import { createOverlay, type Overlay, type State } from '../state/state.ts'

const EMPTY = new Uint8Array(0)
const hashes = new WeakMap<Uint8Array, Uint8Array>()

/** Keccak-256 of a contract's code, computed once for each code. */
export function codeHash(code: Uint8Array): Uint8Array {
  let hash = hashes.get(code)
  if (!hash) hashes.set(code, (hash = keccak_256(code)))
  return hash
}

/** Bytes of code that contracts share. */
const SHARED_CODE = 4 * 1024 * 1024

/** Code by its bytes as text, which takes a fraction of the time of a hash. */
const codes = new LRUCache<string, Uint8Array>({
  maxSize: SHARED_CODE,
  sizeCalculation: ({ length }) => length,
})

/** The same code as one array: contracts that are deployed again and again are analysed once, and take the memory of one. */
function sharedCode(code: Uint8Array): Uint8Array {
  if (code.length === 0) return code
  const name = Buffer.from(code.buffer, code.byteOffset, code.length).toString('latin1')
  const known = codes.get(name)
  if (!known) codes.set(name, code)
  return known ?? code
}

/** Converts an address of the EVM to 42 hex characters. */
export function native(address: Address): string {
  return `41${Buffer.from(address.bytes).toString('hex')}`
}

/** The key of a contract's slot. A contract that was destroyed and created again starts empty. */
export function slotKey(state: Pick<State, 'get'>, address: string, slot: Uint8Array): string {
  return slotName(state, address, Buffer.from(slot).toString('hex'))
}

function slotName(state: Pick<State, 'get'>, address: string, slot: string): string {
  const generation = state.get('property', `generation:${address}`) ?? 0n
  return `${address}.${generation}/${slot}`
}

/** The state of one run, with the interface of the EVM. */
export type VmState = StateManagerInterface & {
  top(): Overlay
  /** The value of a slot, which is given as 64 hex characters. */
  load(address: Address, slot: string): bigint | Promise<bigint>
  hasSlot(address: Address, slot: Uint8Array): boolean | Promise<boolean>
  /** Allows the creation of a contract at an address that already has coins. */
  vacate(address: Address): void
  markUsed(address: Address): void
}

/**
 * The chain's state with the interface of the EVM. Accounts have no nonces here. An existing account has nonce 1, so that
 * sending coins to one without a balance does not cost the creation of an account.
 *
 * @param options.now - Creation time of accounts that a transfer creates, milliseconds.
 * @param options.emptiesCount - Whether an account without coins, code and transactions exists. It does not on Ethereum.
 */
export function createVmState(
  base: State,
  options: { now: number; emptiesCount: boolean },
): VmState {
  const { emptiesCount, now } = options
  const stack: Overlay[] = [createOverlay(base)]
  const vacant = new Set<string>()
  const top = () => stack.at(-1) as Overlay

  const vmState: VmState = {
    top,
    hasSlot: (address, slot) =>
      readFetching(() => top().get('storage', slotKey(top(), native(address), slot)) !== undefined),
    load: (address, slot) =>
      readFetching(() => {
        const value = top().get('storage', slotName(top(), native(address), slot))
        return value ? BigInt(`0x${value}`) : 0n
      }),
    vacate: (address) => void vacant.add(native(address)),
    markUsed: (address) => void vacant.delete(native(address)),

    getAccount: async (address) =>
      readFetching(() => {
        const key = native(address)
        const account = top().get('account', key)
        if (!account) return undefined
        const code = top().get('code', key)
        return new Account(
          !vacant.has(key) && (emptiesCount || nonceOf(top(), key) > 0n) ? 1n : 0n,
          seenBalance(account.balance),
          undefined,
          code && code.length > 0 ? codeHash(code) : KECCAK256_NULL,
        )
      }),
    async putAccount(address, account) {
      if (!account) return vmState.deleteAccount(address)
      const key = native(address)
      const known = await readFetching(() => top().get('account', key))
      if (!known && account.balance === 0n) return
      const owed = known && known.balance < 0n ? seenBalance(known.balance) - known.balance : 0n
      top().set('account', key, {
        ...(known ?? newAccount(key, 'Normal', now)),
        balance: account.balance - owed,
      })
    },
    async deleteAccount(address) {
      top().set('account', native(address), undefined)
    },
    async modifyAccountFields(address, fields) {
      const account = (await vmState.getAccount(address)) ?? new Account()
      account.balance = fields.balance ?? account.balance
      await vmState.putAccount(address, account)
    },
    async putCode(address, code) {
      top().set('code', native(address), sharedCode(code))
    },
    getCode: async (address) => readFetching(() => top().get('code', native(address)) ?? EMPTY),
    getCodeSize: async (address) =>
      readFetching(() => top().get('code', native(address))?.length ?? 0),
    getStorage: async (address, slot) =>
      readFetching(() => storedIn(top(), slotKey(top(), native(address), slot))),
    async putStorage(address, slot, value) {
      // An emptied slot still counts as existing until the transaction ends, so writing it again has the price of a change.
      top().set('storage', slotKey(top(), native(address), slot), trimmedHex(value))
    },
    async clearStorage() {
      // Slots of an earlier contract at the same address have other keys.
    },
    async checkpoint() {
      stack.push(createOverlay(top()))
    },
    async commit() {
      const overlay = stack.pop() as Overlay
      overlay.commit()
    },
    async revert() {
      stack.pop()
    },
    originalStorageCache: {
      get: async (address, slot) =>
        readFetching(() => storedIn(base, slotKey(base, native(address), slot))),
      clear: () => undefined,
    },
    clearCaches: () => undefined,
    getStateRoot: () => Promise.reject(new Error('this state has no root')),
    setStateRoot: () => Promise.reject(new Error('this state has no root')),
    hasStateRoot: () => Promise.reject(new Error('this state has no root')),
    shallowCopy: () => createVmState(base, options),
  }
  return vmState
}

/**
 * The balance that contracts see. That of the account which receives burned coins is negative, from genesis on; the node's virtual
 * machine reads its 64 bits without a sign.
 */
function seenBalance(balance: bigint): bigint {
  return balance < 0n ? BigInt.asUintN(64, balance) : balance
}

function storedIn(state: State, key: string): Uint8Array {
  const value = state.get('storage', key)
  return value ? unprefixedHexToBytes(value) : EMPTY
}

function trimmedHex(value: Uint8Array): string {
  return Buffer.from(value)
    .toString('hex')
    .replace(/^(00)+/, '')
}
