import type { HexAddress } from '../lib/address.ts'
import type { Hex, Int64, Transaction, InternalTransaction, Log } from './types.ts'

/** An entry of a protobuf map; here a zero `value` is printed. */
export type Entry<key = string, value = Int64> = { key: key; value: value }

export type Resource = 'BANDWIDTH' | 'ENERGY' | 'TRON_POWER'

export type Permission = {
  /** Absent on the owner permission. */
  type?: 'Owner' | 'Witness' | 'Active'
  /** Absent on the owner permission (0); 1 for block production, 2 and up for active ones. */
  id?: number
  permission_name?: string
  threshold?: Int64
  parent_id?: number
  /** 64 hex characters; one bit a contract type. */
  operations?: Hex
  keys?: { address: HexAddress; weight: Int64 }[]
}

/** An account. Amounts in sun, times in milliseconds; absent means zero. There is no nonce. */
export type Account = {
  address: HexAddress
  /** Hex of the UTF-8 text. */
  account_name?: Hex
  account_id?: Hex
  /** Absent on normal accounts. */
  type?: 'AssetIssue' | 'Contract'
  balance?: Int64
  create_time?: number
  latest_opration_time?: number
  latest_withdraw_time?: number
  allowance?: Int64
  votes?: { vote_address: HexAddress; vote_count?: Int64 }[]
  asset?: Entry[]
  /** First-generation token balances by token id. */
  assetV2?: Entry[]
  free_asset_net_usageV2?: Entry[]
  frozen?: { frozen_balance?: Int64; expire_time?: number }[]
  /** Staked amounts: bandwidth (no `type`), energy, voting power. */
  frozenV2?: { type?: Resource; amount?: Int64 }[]
  unfrozenV2?: { type?: Resource; unfreeze_amount?: Int64; unfreeze_expire_time?: number }[]
  delegated_frozenV2_balance_for_bandwidth?: Int64
  acquired_delegated_frozenV2_balance_for_bandwidth?: Int64
  net_usage?: number
  free_net_usage?: number
  /** Slots of 3 s counted by the chain's clock, or milliseconds, by the age of the account. */
  latest_consume_time?: number
  latest_consume_free_time?: number
  net_window_size?: number
  net_window_optimized?: boolean
  account_resource?: {
    energy_usage?: number
    frozen_balance_for_energy?: { frozen_balance?: Int64; expire_time?: number }
    latest_consume_time_for_energy?: number
    energy_window_size?: number
    energy_window_optimized?: boolean
    delegated_frozenV2_balance_for_energy?: Int64
    acquired_delegated_frozenV2_balance_for_energy?: Int64
  }
  owner_permission?: Permission
  witness_permission?: Permission
  active_permission?: Permission[]
  is_witness?: boolean
  asset_issued_name?: Hex
  asset_issued_ID?: string
  codeHash?: Hex
  old_tron_power?: Int64
  [field: string]: unknown
}

/** Bandwidth of an account: points, not coins. */
export type AccountNet = {
  freeNetUsed?: number
  freeNetLimit?: number
  NetUsed?: number
  NetLimit?: number
  assetNetUsed?: Entry[]
  assetNetLimit?: Entry[]
  TotalNetLimit?: Int64
  TotalNetWeight?: Int64
}

/** Bandwidth, energy and voting power. Both spellings of the brand fields are understood and read as these. */
export type AccountResource = AccountNet & {
  totalNativePowerWeight?: Int64
  nativePowerUsed?: Int64
  nativePowerLimit?: Int64
  EnergyUsed?: number
  EnergyLimit?: number
  TotalEnergyLimit?: Int64
  TotalEnergyWeight?: Int64
  storageUsed?: Int64
  storageLimit?: Int64
}

export type BlockIdentifier = { hash: Hex; number: number }

/** A balance in sun as of a block. `block_identifier` is the last block that changed the account, not the asked one. */
export type AccountBalance = { balance: Int64; block_identifier: BlockIdentifier }

/** What every transaction of a block moved. Zeros are printed here. */
export type BlockBalance = {
  block_identifier: BlockIdentifier
  timestamp?: number
  transaction_balance_trace?: {
    transaction_identifier: Hex
    operation?: { operation_identifier: number; address: HexAddress; amount: Int64 }[]
    type?: string
    status?: string
  }[]
}

export type DelegatedResource = {
  delegatedResource?: {
    from?: HexAddress
    to?: HexAddress
    frozen_balance_for_bandwidth?: Int64
    frozen_balance_for_energy?: Int64
    expire_time_for_bandwidth?: number
    expire_time_for_energy?: number
  }[]
}

export type DelegationIndex = {
  account: HexAddress
  fromAccounts?: HexAddress[]
  toAccounts?: HexAddress[]
  timestamp?: number
}

export type AbiEntry = {
  type?: string
  name?: string
  anonymous?: boolean
  constant?: boolean
  payable?: boolean
  stateMutability?: string
  inputs?: AbiParameter[]
  outputs?: AbiParameter[]
}

export type AbiParameter = { name?: string; type?: string; indexed?: boolean }

/** A contract as deployed. */
export type Contract = {
  origin_address: HexAddress
  contract_address: HexAddress
  abi?: { entrys?: AbiEntry[] }
  /** Creation code with constructor arguments, **not** the code that runs. */
  bytecode?: Hex
  call_value?: Int64
  consume_user_resource_percent?: number
  name?: string
  origin_energy_limit?: Int64
  code_hash?: Hex
  /** Only on contracts born by CREATE2; salts their storage keys. */
  trx_hash?: Hex
  /** 1 = compiled for the compatible EVM. */
  version?: number
}

export type ContractInfo = {
  smart_contract?: Contract
  /** The code that runs. */
  runtimecode?: Hex
  contract_state?: { energy_usage?: Int64; energy_factor?: Int64; update_cycle?: Int64 }
}

/** The result of a call or broadcast. `message` is already text, not hex. */
export type CallResult = { result?: boolean; code?: string; message?: string }

/** Answer of a constant call. `readConstantCall` tells success, revert and failure apart. */
export type ConstantCall = {
  result: CallResult
  energy_used?: number
  /** Part of `energy_used` that is a penalty of a busy contract. */
  energy_penalty?: number
  constant_result?: Hex[]
  logs?: Log[]
  internal_transactions?: InternalTransaction[]
  transaction?: Transaction
}

export type EnergyEstimate = { result: CallResult; energy_required?: number }

/** Answer of a contract call to sign. A call of a function that the ABI marks constant is executed instead. */
export type ContractCall = ConstantCall

/** Answer of a broadcast; the refusal code is in `code`, its text in `message`. */
export type BroadcastResult = {
  result?: boolean
  code?: string
  message?: string
  txid?: Hex
  /** `broadcasthex` only: JSON text of the transaction. */
  transaction?: string
}
