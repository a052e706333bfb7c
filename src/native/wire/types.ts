import type { HexAddress } from '../../lib/address.ts'

// Wire types of the node's HTTP API, exactly as received with `visible: false`: snake_case, `41…` hex addresses without `0x`,
// zeros absent (protobuf defaults are omitted). Only `codec/` converts them to Ethereum's names.

/** int64: a number up to 2^53 − 1, a bigint above. Convert it with `BigInt()` before arithmetic. */
export type Int64 = number | bigint

/** Lower-case hex without `0x`. */
export type Hex = string

/** A block. */
export type Block = {
  blockID: Hex
  block_header: {
    raw_data: {
      /** Absent on genesis. */
      number?: number
      /** Milliseconds; absent if genesis has time zero. */
      timestamp?: number
      txTrieRoot?: Hex
      parentHash?: Hex
      /** On genesis an ASCII sentence, not an address. */
      witness_address?: Hex
      witness_id?: number
      version?: number
      accountStateRoot?: Hex
    }
    witness_signature?: Hex
  }
  transactions?: Transaction[]
  /** Only on the development chain: values of the Ethereum block that tools chose, and members that hardforks added. */
  ethereum?: Readonly<
    ForkMembers & Partial<Record<'gasLimit' | 'miner' | 'mixHash', `0x${string}`>>
  >
}

/** Members that hardforks of Ethereum added to blocks. Only the development chain has them; it has no withdrawals, blobs or requests. */
export type ForkMembers = {
  readonly withdrawals?: readonly []
} & {
  readonly [
    name in
      | 'blobGasUsed'
      | 'excessBlobGas'
      | 'parentBeaconBlockRoot'
      | 'requestsHash'
      | 'withdrawalsRoot'
  ]?: `0x${string}`
}

/** A native transaction. */
export type Transaction = {
  txID: Hex
  raw_data: {
    contract?: Contract[]
    ref_block_bytes?: Hex
    ref_block_num?: number
    ref_block_hash?: Hex
    /** Milliseconds. */
    expiration?: number
    /** Milliseconds; chosen by the client. */
    timestamp?: Int64
    /** Sun. */
    fee_limit?: Int64
    /** Memo. */
    data?: Hex
    auths?: unknown[]
    scripts?: Hex
  }
  raw_data_hex: Hex
  signature?: Hex[]
  /** The outcome in a block; a prediction on a pending transaction. */
  ret?: TransactionResult[]
  visible?: boolean
  /** Added by the node on deployments. */
  contract_address?: HexAddress
  /** Only on the development chain: the Ethereum fields of a transaction that was sent as an Ethereum transaction. */
  ethereum?: Readonly<Record<string, unknown>>
}

/** The result of a transaction in a block. */
export type TransactionResult = {
  contractRet?: string
  ret?: string
  fee?: Int64
  [field: string]: unknown
}

/** The contract of a transaction. A transaction has exactly one. `type` determines the fields of `parameter.value`. */
export type Contract = {
  type?: string
  parameter?: { value?: Record<string, unknown>; type_url?: string }
  Permission_id?: number
  provider?: Hex
  ContractName?: Hex
}

/** A log. */
export type Log = {
  /** 20 bytes, without the `41` of other addresses. */
  address?: Hex
  topics?: Hex[]
  data?: Hex
}

/** The outcome of a transaction in a block. */
export type TransactionInfo = {
  id: Hex
  /** Total burned, sun. */
  fee?: Int64
  blockNumber?: number
  /** Milliseconds. */
  blockTimeStamp?: number
  contractResult?: Hex[]
  /** The created **or** the called contract. */
  contract_address?: HexAddress
  receipt?: {
    energy_usage?: number
    energy_fee?: Int64
    origin_energy_usage?: number
    energy_usage_total?: number
    energy_penalty_total?: number
    net_usage?: number
    net_fee?: Int64
    /** VM transactions only; absent counts as success. */
    result?: string
  }
  log?: Log[]
  result?: string
  resMessage?: Hex
  assetIssueID?: string
  withdraw_amount?: Int64
  unfreeze_amount?: Int64
  withdraw_expire_amount?: Int64
  cancel_unfreezeV2_amount?: { key: string; value: Int64 }[]
  internal_transactions?: InternalTransaction[]
  [field: string]: unknown
}

/** A call, transfer, creation or destruction inside a transaction. */
export type InternalTransaction = {
  hash?: Hex
  caller_address?: HexAddress
  transferTo_address?: HexAddress
  callValueInfo?: { callValue?: Int64; tokenId?: string }[]
  /** Hex of `call`, `create`, `suicide`, … */
  note?: Hex
  /** Only of calls of the console of a development chain, as tronbox reads it. */
  data?: Hex
  rejected?: boolean
  extra?: string
}
