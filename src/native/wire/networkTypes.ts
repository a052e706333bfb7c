import type { HexAddress } from '../../lib/address.ts'
import type { Entry, Permission } from './accountTypes.ts'
import type { Hex, Int64, Transaction } from './types.ts'

/** Information about the node. Cache it: the node examines its machine for each answer. */
export type NodeInfo = {
  /** The block at which a sync would start, **not** a flag that a sync runs. */
  beginSyncNum?: number
  /** `Num:<number>,ID:<hash>`. */
  block?: string
  /** `Num:<number>,ID:<hash>` */
  solidityBlock?: string
  currentConnectCount?: number
  activeConnectCount?: number
  passiveConnectCount?: number
  totalFlow?: Int64
  /** Its length is the peer count. */
  peerList?: PeerInfo[]
  configNodeInfo?: {
    codeVersion?: string
    dbVersion?: number
    p2pVersion?: string
    versionNum?: string
    supportConstant?: boolean
    [field: string]: unknown
  }
  machineInfo?: {
    cpuCount?: number
    cpuRate?: number
    javaVersion?: string
    osName?: string
    freeMemory?: Int64
    totalMemory?: Int64
    threadCount?: number
    [field: string]: unknown
  }
  cheatWitnessInfoMap?: Record<string, string>
}

/** A peer of the node. */
export type PeerInfo = {
  host?: string
  port?: number
  active?: boolean
  nodeId?: string
  /** `Num:<number>,ID:<hash>` */
  headBlockWeBothHave?: string
  needSyncFromPeer?: boolean
  needSyncFromUs?: boolean
  [field: string]: unknown
}

/** Parameters of the network; a value of zero is absent. */
export type ChainParameters = { chainParameter?: { key: string; value?: Int64 }[] }

/** `effective-ms:price-sun,…` in ascending order of time. */
export type PriceHistory = { prices: string }

/** The block producers and candidates. */
export type Witnesses = {
  witnesses?: {
    address: HexAddress
    voteCount?: Int64
    url?: string
    totalProduced?: number
    totalMissed?: number
    latestBlockNum?: number
    latestSlotNum?: number
    isJobs?: boolean
  }[]
}

/** A proposal to change chain parameters. */
export type Proposal = {
  proposal_id: number
  proposer_address: HexAddress
  parameters?: Entry<number>[]
  /** Milliseconds. */
  expiration_time?: number
  /** Milliseconds. */
  create_time?: number
  approvals?: HexAddress[]
  /** Absent while pending. */
  state?: 'PENDING' | 'DISAPPROVED' | 'APPROVED' | 'CANCELED'
}

/** A native token. Amounts are in its smallest unit. */
export type Asset = {
  id: string
  owner_address: HexAddress
  name?: Hex
  abbr?: Hex
  total_supply?: Int64
  frozen_supply?: { frozen_amount?: Int64; frozen_days?: Int64 }[]
  trx_num?: number
  precision?: number
  num?: number
  /** Milliseconds. */
  start_time?: number
  /** Milliseconds. */
  end_time?: number
  description?: Hex
  url?: Hex
  free_asset_net_limit?: Int64
  public_free_asset_net_limit?: Int64
  public_free_asset_net_usage?: Int64
  public_latest_free_net_time?: number
}

/** An exchange between two native tokens, or a token and the coin. */
export type Exchange = {
  exchange_id: number
  creator_address: HexAddress
  /** Milliseconds. */
  create_time?: number
  first_token_id?: Hex
  first_token_balance?: Int64
  second_token_id?: Hex
  second_token_balance?: Int64
}

/** The accounts that have signed a transaction, and whether their weight is enough. */
export type SignWeight = {
  permission?: Permission
  approved_list?: HexAddress[]
  current_weight?: Int64
  result?: { code?: string; message?: string }
  transaction?: unknown
}

/** The accounts that have signed a transaction. */
export type ApprovedList = {
  approved_list?: HexAddress[]
  result?: { code?: string; message?: string }
  transaction?: { transaction?: Transaction; [field: string]: unknown }
}

/** The nodes that the node knows. */
export type Nodes = {
  /** `host` is hex of its ASCII text. */
  nodes?: { address?: { host?: Hex; port?: number } }[]
}

/** Whether an address is valid, and its format or the reason. */
export type AddressCheck = { result: boolean; message: string }
