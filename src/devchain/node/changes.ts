import { toNativeAddress } from '../../lib/address.ts'
import type { AccountOverride, BlockOverride, StateOverride } from '../../rpc/params/overrides.ts'
import { present } from '../../rpc/params/params.ts'
import { type AccountChange, changeAccount, createOverlay } from '../index.ts'
import type { BlockContext, State } from '../index.ts'
import type { BlockState } from './blockState.ts'

/** A state with the caller's overrides. */
export function withAccounts({ block, state }: BlockState, accounts: StateOverride): State {
  const changed = createOverlay(state)
  changeAccounts(changed, accounts, block.timestamp)
  return changed
}

/** Makes the caller's changes. */
export function changeAccounts(state: State, accounts: StateOverride, now: number): void {
  for (const [account, change] of accounts)
    changeAccount(state, toNativeAddress(account), toAccountChange(change), now)
}

/** A block with the caller's overrides. */
export function changeBlock(block: BlockContext, change: BlockOverride): BlockContext {
  const { baseFeePerGas: baseFee, feeRecipient, gasLimit, number, prevRandao, time } = change
  return {
    ...block,
    ...(number !== undefined && { number: Number(number) }),
    ...(time !== undefined && { timestamp: Number(time) * 1000 }),
    ...(feeRecipient && { producer: toNativeAddress(feeRecipient) }),
    ...(gasLimit !== undefined && { gasLimit }),
    ...(baseFee !== undefined && { baseFee }),
    ...(prevRandao !== undefined && { prevRandao }),
  }
}

const toAccountChange = (override: AccountOverride): AccountChange =>
  present({
    balance: override.balance,
    nonce: override.nonce,
    code: override.code?.slice(2),
    storage: override.state,
    slots: override.stateDiff,
  })
