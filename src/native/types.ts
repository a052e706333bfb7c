import type { HexAddress } from '../lib/address.ts'

/**
 * Wire types of the node's HTTP API, exactly as received with `visible: false`: snake_case, `41…` hex addresses without
 * `0x`, zeros absent (protobuf defaults are omitted). The rename to Ethereum's words happens once, in `codec/`.
 */

/** int64: a number up to 2^53 − 1, a bigint beyond. `native/json.ts` decides; never do arithmetic on it without `BigInt()`. */
export type Int64 = number | bigint

/** Lower-case hex without `0x`. */
export type Hex = string

export type Block = {
  blockID: Hex
  block_header: {
    raw_data: {
      /** Absent on genesis. */
      number?: number
      /** Milliseconds; absent where genesis has time zero. */
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
}

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
  /** In a block the outcome; on a pending transaction only a prediction. */
  ret?: TransactionResult[]
  visible?: boolean
  /** Added by the node on deployments. */
  contract_address?: HexAddress
  /** Only on the dev chain: what JSON-RPC shows of a transaction that came as an Ethereum one. */
  ethereum?: Readonly<Record<string, unknown>>
}

export type TransactionResult = {
  contractRet?: string
  ret?: string
  fee?: Int64
  [field: string]: unknown
}

/** One contract of a transaction: exactly one in practice. `parameter.value` is shaped by `type`. */
export type Contract = {
  type?: string
  parameter?: { value?: Record<string, unknown>; type_url?: string }
  Permission_id?: number
  provider?: Hex
  ContractName?: Hex
}

export type Log = {
  /** 20 bytes, without the 41 that addresses have elsewhere. */
  address?: Hex
  topics?: Hex[]
  data?: Hex
}

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

export type InternalTransaction = {
  hash?: Hex
  caller_address?: HexAddress
  transferTo_address?: HexAddress
  callValueInfo?: { callValue?: Int64; tokenId?: string }[]
  /** Hex of `call`, `create`, `suicide`, … */
  note?: Hex
  rejected?: boolean
  extra?: string
}
