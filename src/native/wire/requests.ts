import type { HexAddress } from '../../lib/address.ts'
import type { BlockIdentifier, Permission, Resource } from './accountTypes.ts'
import type { Hex, Int64, Transaction } from './types.ts'

// Bodies of native requests. They have no `visible`, because the client uses only hex addresses: 42 characters that begin with
// `41`. Hex is without `0x`.

/**
 * Selects a block. `id_or_num` is a **string**: a decimal number or 64 hex characters; absent means the newest block.
 * `detail` adds the transactions.
 */
export type BlockSelector = { id_or_num?: string; detail?: boolean }

/** Fields that every builder accepts. */
export type BuildOptions = {
  /** Id of the permission that will sign; 0 is the owner permission. */
  Permission_id?: number
  /** Memo, hex. */
  extra_data?: Hex
}

/** A call of a contract. Without a contract address, `data` is creation code of a simulated deployment. */
export type ContractCallRequest = {
  owner_address: HexAddress
  contract_address?: HexAddress
  /** `name(type,…)`; takes precedence over `data`. */
  function_selector?: string
  /** ABI words without selector. */
  parameter?: Hex
  data?: Hex
  /** Sun. */
  call_value?: Int64
  call_token_value?: Int64
  /** Above 1,000,000. */
  token_id?: Int64
  /** Sun; used by `triggerSmartContract` only. */
  fee_limit?: Int64
}

/** A contract call to build. */
export type SmartContractCallRequest = ContractCallRequest & {
  contract_address: HexAddress
} & BuildOptions

/** A contract creation to build. */
export type DeployRequest = BuildOptions & {
  owner_address: HexAddress
  /** JSON text of an array; `[]` for none. */
  abi: string
  bytecode: Hex
  /** Constructor arguments, appended to the code. */
  parameter?: Hex
  name?: string
  /** Sun. */
  call_value?: Int64
  call_token_value?: Int64
  token_id?: Int64
  /** 0 to 100. */
  consume_user_resource_percent?: number
  /** Above zero. */
  origin_energy_limit?: Int64
  /** Sun. */
  fee_limit?: Int64
}

/** A transaction to send. The node encodes `raw_data` again, and the signature must be of these bytes. */
export type SignedTransaction = Pick<Transaction, 'raw_data'> &
  Partial<Omit<Transaction, 'raw_data'>>

/** A permission to set. */
export type PermissionRequest = Omit<Permission, 'type'> & {
  /** 0 owner, 1 witness, 2 active. */
  type: number
}

/** The account and block of a balance. */
export type AccountBalanceRequest = {
  account_identifier: { address: HexAddress }
  /** Number and hash must belong to one block. */
  block_identifier: BlockIdentifier
}

/** The resource of a stake or a delegation; absent means bandwidth. */
export type ResourceRequest = { resource?: Resource }

/** A native token to create. */
export type AssetIssueRequest = {
  owner_address: HexAddress
  name: Hex
  abbr?: Hex
  total_supply: Int64
  trx_num: number
  num: number
  /** Milliseconds. */
  start_time: number
  /** Milliseconds. */
  end_time: number
  description?: Hex
  url: Hex
  precision?: number
  free_asset_net_limit?: Int64
  public_free_asset_net_limit?: Int64
  frozen_supply?: { frozen_amount: Int64; frozen_days: Int64 }[]
}
