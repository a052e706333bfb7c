import { newAccount, newContract } from '../state/model.ts'
import { nonceOf } from '../state/nonce.ts'
import type { State } from '../state/state.ts'
import { slotKey } from '../vm/vmState.ts'

/** Changes of one account. Bytes are hex without `0x`. */
export type AccountChange = {
  balance?: bigint
  nonce?: bigint
  code?: string
  /** All slots of the account: other slots become empty. Slot and value are 32 bytes of hex. */
  storage?: readonly (readonly [slot: string, value: string])[]
  /** Some slots of the account: other slots do not change. */
  slots?: readonly (readonly [slot: string, value: string])[]
}

/** Changes one account, and creates it if it does not exist. `now`: its creation time, milliseconds. */
export function changeAccount(
  state: State,
  address: string,
  { balance, code, nonce, slots = [], storage }: AccountChange,
  now: number,
): void {
  const account = state.get('account', address)
  // On Ethereum an account with a nonce exists even without coins.
  if (balance !== undefined || (!account && nonce))
    state.set('account', address, {
      ...(account ?? newAccount(address, 'Normal', now)),
      ...(balance !== undefined && { balance }),
    })
  if (nonce !== undefined) state.set('nonce', address, nonce)
  if (code !== undefined) setCode(state, address, code, now)
  if (storage) {
    const generation = state.get('property', `generation:${address}`) ?? 0n
    state.set('property', `generation:${address}`, generation + 1n)
  }
  for (const [slot, value] of [...(storage ?? []), ...slots]) {
    const trimmed = value.replace(/^(00)+/, '')
    const key = slotKey(state, address, Uint8Array.from(Buffer.from(slot, 'hex')))
    state.set('storage', key, trimmed === '' ? undefined : trimmed)
  }
}

/** The nonce does not change, as on Hardhat and anvil. Code at an unused address creates its first contract with nonce 0. */
function setCode(state: State, address: string, code: string, now: number): void {
  state.set('nonce', address, nonceOf(state, address))
  const account = state.get('account', address) ?? newAccount(address, 'Normal', now)
  const bytes = Uint8Array.from(Buffer.from(code, 'hex'))
  if (bytes.length === 0) {
    state.set('account', address, { ...account, type: 'Normal' })
    state.set('contract', address, undefined)
    state.set('code', address, undefined)
    return
  }
  state.set('account', address, { ...account, type: 'Contract' })
  state.set('code', address, bytes)
  if (state.get('contract', address)) return
  state.set('contract', address, newContract(address, address))
}
