import type { Address } from 'viem'

import { toRpcAddressOrNull } from '../lib/address.ts'
import type { Contract, TransactionInfo } from '../native/wire/types.ts'
import { toInt64 } from './quantity.ts'

/** Ethereum's `to` and `value` of a native contract: the other account, and the amount in the smallest unit. */
export type Meaning = { to: Address | null; value: bigint }

type Fields = Record<string, unknown>

/** Reads `to` and `value` of one contract type. `info` is absent while the transaction is pending. */
type Reader = (fields: Fields, info: TransactionInfo | undefined) => Meaning

/** Fixed costs of contract types, in sun. No field of a transaction has them. */
const WITNESS_FEE = 9_999_000_000n
const ISSUE_FEE = 1_024_000_000n
const EXCHANGE_FEE = 1_024_000_000n
const PERMISSION_FEE = 100_000_000n

const nothing: Meaning = { to: null, value: 0n }

const toOf = (fields: Fields, key: string) => toRpcAddressOrNull(fields[key])

/** Reads the account from field `key`, and the amount from field `amount`, if given. */
function fieldsOf(key: string, amount?: string): Reader {
  return (fields) => ({
    to: toOf(fields, key),
    value: amount === undefined ? 0n : toInt64(fields[amount]),
  })
}

/** Reads the amount from the outcome of the transaction, because no field has it. */
function outcomeOf(key: 'unfreeze_amount' | 'withdraw_amount' | 'withdraw_expire_amount'): Reader {
  return (_fields, info) => ({ to: null, value: toInt64(info?.[key]) })
}

function feeOf(value: bigint): Reader {
  return () => ({ to: null, value })
}

/**
 * `to` and `value` by contract type. The amounts of token contracts are units of the token, those of votes are votes.
 * Types that are not listed have neither.
 */
const readers: Record<string, Reader> = {
  AccountCreateContract: fieldsOf('account_address'),
  TransferContract: fieldsOf('to_address', 'amount'),
  TransferAssetContract: fieldsOf('to_address', 'amount'),
  ParticipateAssetIssueContract: fieldsOf('to_address'),
  TriggerSmartContract: fieldsOf('contract_address', 'call_value'),
  CreateSmartContract: (fields) => ({
    to: null,
    value: toInt64(record(fields['new_contract'])['call_value']),
  }),

  VoteAssetContract: (fields) => ({
    to: toRpcAddressOrNull(list(fields['vote_address'])[0]),
    value: 0n,
  }),
  VoteWitnessContract: (fields) => {
    const votes = list(fields['votes']).map(record)
    return {
      to: toOf(votes[0] ?? {}, 'vote_address'),
      value: votes.reduce((sum, vote) => sum + toInt64(vote['vote_count']), 0n),
    }
  },

  FreezeBalanceContract: fieldsOf('receiver_address', 'frozen_balance'),
  UnfreezeBalanceContract: (fields, info) => ({
    to: toOf(fields, 'receiver_address'),
    value: toInt64(info?.unfreeze_amount),
  }),
  UnfreezeBalanceV2Contract: outcomeOf('unfreeze_amount'),
  WithdrawBalanceContract: outcomeOf('withdraw_amount'),
  WithdrawExpireUnfreezeContract: outcomeOf('withdraw_expire_amount'),
  CancelAllUnfreezeV2Contract: (_fields, info) => ({
    to: null,
    value: (info?.cancel_unfreezeV2_amount ?? []).reduce(
      (sum, { value }) => sum + toInt64(value),
      0n,
    ),
  }),
  DelegateResourceContract: fieldsOf('receiver_address'),
  UnDelegateResourceContract: fieldsOf('receiver_address'),

  UpdateSettingContract: fieldsOf('contract_address'),
  UpdateEnergyLimitContract: fieldsOf('contract_address'),
  ClearABIContract: fieldsOf('contract_address'),

  ExchangeInjectContract: (fields) => ({ to: null, value: toInt64(fields['quant']) }),
  ExchangeWithdrawContract: (fields) => ({ to: null, value: toInt64(fields['quant']) }),
  ExchangeTransactionContract: (fields) => ({ to: null, value: toInt64(fields['quant']) }),

  WitnessCreateContract: feeOf(WITNESS_FEE),
  AssetIssueContract: feeOf(ISSUE_FEE),
  ExchangeCreateContract: feeOf(EXCHANGE_FEE),
  AccountPermissionUpdateContract: feeOf(PERMISSION_FEE),

  ShieldedTransferContract: (fields) => ({
    to: toOf(fields, 'transparent_to_address'),
    value: toInt64(fields['from_amount']) || toInt64(fields['to_amount']),
  }),
}

/** `to` and `value` of a contract; null and zero for an unknown type or absent fields. */
export function contractMeaning(contract: Contract, info: TransactionInfo | undefined): Meaning {
  const read = contract.type === undefined ? undefined : readers[contract.type]
  return read?.(contractFields(contract), info) ?? nothing
}

/** The fields of a contract; empty if the node could not print its type. */
export function contractFields(contract: Contract): Fields {
  return contract.parameter?.value ?? {}
}

function record(input: unknown): Fields {
  return typeof input === 'object' && input !== null ? (input as Fields) : {}
}

function list(input: unknown): unknown[] {
  return Array.isArray(input) ? input : []
}
