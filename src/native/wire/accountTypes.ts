import type { HexAddress } from '../../lib/address.ts'
import type { Hex, Int64, Transaction, InternalTransaction, Log } from './types.ts'

/** An entry of a protobuf map. Unlike other fields, `value` is present when it is zero. */
export type Entry<key = string, value = Int64> = { key: key; value: value }

/** A resource that an account gets for staked coins. `TRON_POWER` is the power to vote. */
export type Resource = 'BANDWIDTH' | 'ENERGY' | 'TRON_POWER'

/** A permission of an account: its keys with their weights, and the weight that a transaction needs. */
export type Permission = {
  /** Absent on the owner permission. */
  type?: 'Owner' | 'Witness' | 'Active'
  /** Absent on the owner permission (0); 1 for block production, 2 and up for active ones. */
  id?: number
  permission_name?: string
  threshold?: Int64
  parent_id?: number
  /** 64 hex characters, with one bit for each contract type. */
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
  /** Balances of native tokens, by token id. */
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
  /** In slots of 3 s or in milliseconds, depending on the age of the account. */
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

/** Bandwidth of an account, in bytes. */
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

/** Bandwidth, energy and voting power. The client renames the node's brand names of three fields to the names here. */
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

/** A block by hash and height. Both must belong to the same block. */
export type BlockIdentifier = { hash: Hex; number: number }

/** A balance in sun at a block. `block_identifier` is the last block that changed the account, not the requested one. */
export type AccountBalance = { balance: Int64; block_identifier: BlockIdentifier }

/** The balance changes of all transactions of a block. Zeros are present. */
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

/** Resources that an account delegated to another one. Amounts are in sun, times in milliseconds. */
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

/** The accounts that delegate resources to an account, and those that it delegates to. */
export type DelegationIndex = {
  account: HexAddress
  fromAccounts?: HexAddress[]
  toAccounts?: HexAddress[]
  timestamp?: number
}

/** A function, event or constructor of an ABI, as the chain stores it. */
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

/** A parameter of an ABI entry. */
export type AbiParameter = { name?: string; type?: string; indexed?: boolean }

/** A contract as deployed. */
export type Contract = {
  origin_address: HexAddress
  contract_address: HexAddress
  abi?: { entrys?: AbiEntry[] }
  /** Creation code with constructor arguments, **not** the runtime code. */
  bytecode?: Hex
  call_value?: Int64
  consume_user_resource_percent?: number
  name?: string
  origin_energy_limit?: Int64
  code_hash?: Hex
  /** Only on contracts that CREATE2 created. It is part of their storage keys. */
  trx_hash?: Hex
  /** 1 = compiled for the compatible EVM. */
  version?: number
}

/** A contract with its runtime code and state. */
export type ContractInfo = {
  smart_contract?: Contract
  /** Runtime code. */
  runtimecode?: Hex
  contract_state?: { energy_usage?: Int64; energy_factor?: Int64; update_cycle?: Int64 }
}

/** The result of a call or broadcast. `message` is already text, not hex. */
export type CallResult = { result?: boolean; code?: string; message?: string }

/** Answer of a constant call. `readConstantCall` distinguishes success, revert and failure. */
export type ConstantCall = {
  result: CallResult
  energy_used?: number
  /** The part of `energy_used` that the chain adds for a contract that is used much. */
  energy_penalty?: number
  constant_result?: Hex[]
  logs?: Log[]
  internal_transactions?: InternalTransaction[]
  transaction?: Transaction
}

/** Answer of an energy estimate. */
export type EnergyEstimate = { result: CallResult; energy_required?: number }

/** An unsigned contract call. If the ABI marks the function as constant, the node executes the call instead. */
export type ContractCall = ConstantCall

/** Answer of a broadcast. If the node refuses the transaction, `code` and `message` have the reason. */
export type BroadcastResult = {
  result?: boolean
  code?: string
  message?: string
  txid?: Hex
  /** `broadcasthex` only: JSON text of the transaction. */
  transaction?: string
}
