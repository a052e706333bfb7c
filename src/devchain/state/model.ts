/** The tables of the chain's state. Amounts are sun (int64), times milliseconds, addresses 42 hex characters. */
export type Tables = {
  /** By address. */
  account: Account
  /** Runtime code, by address. */
  code: Uint8Array
  /** 32-byte values as hex without leading zeros, by `address/slot`. */
  storage: string
  /** By address; absent before the first count (see nonce.ts). */
  nonce: bigint
  /** By address. */
  contract: ContractRecord
  /** By address. */
  witness: Witness
  /** By number. */
  proposal: Proposal
  /** By id. */
  asset: Asset
  /** By `from/to/resource`; `…/locked` is the part that cannot be undelegated yet. */
  delegation: Delegation
  /** Addresses that an address delegates to (`from/…`) or receives from (`to/…`). */
  delegationIndex: string[]
  /** Chain parameters, by the key that `getchainparameters` prints. */
  parameter: bigint
  /** Counters and sums of the chain. */
  property: bigint
  /** Price histories in the text format of `getenergyprices`. */
  prices: string
  /** Lists: `witnesses`, `assets`. */
  list: string[]
  /** Account ids set by SetAccountId, by id. */
  accountId: string
}

/** A resource that a stake gives. */
export type Resource = 'BANDWIDTH' | 'ENERGY'
/** The purpose of a stake: a resource, or votes alone. */
export type Power = Resource | 'TRON_POWER'

/** The used part of a resource, which recovers over a window that starts at `time`. */
export type Usage = {
  /** Points. */
  used: bigint
  /** Slot of three seconds. */
  time: bigint
  /** Slots in thousandths. */
  window: bigint
}

/** The keys that may sign for an account, with their weights. */
export type Permission = {
  type: 'Owner' | 'Witness' | 'Active'
  id: number
  name: string
  threshold: bigint
  operations?: string
  keys: { address: string; weight: bigint }[]
}

/** An account. */
export type Account = {
  address: string
  /** Hex of the name's UTF-8. */
  name: string
  type: 'Normal' | 'AssetIssue' | 'Contract'
  balance: bigint
  createTime: number
  latestOperation: number
  latestWithdraw: number
  votes: { address: string; count: bigint }[]
  /** TRC-10 balances, by token id. */
  assets: Readonly<Record<string, bigint>>
  frozen: Readonly<Record<Power, bigint>>
  unfreezing: { resource: Power; amount: bigint; expires: number }[]
  delegated: Readonly<Record<Resource, bigint>>
  acquired: Readonly<Record<Resource, bigint>>
  net: Usage
  freeNet: Usage
  energy: Usage
  /** Absent for the default: the address itself, with weight 1 of 1. */
  owner?: Permission
  witness?: Permission
  active: Permission[]
  isWitness: boolean
  /** Set at the account's first stake since stakes for votes alone exist. */
  ownPower?: true
  accountId?: string
  issuedAsset?: string
  issuedName?: string
}

/** A contract without its runtime code and storage. */
export type ContractRecord = {
  address: string
  origin: string
  /** Hex of the name's UTF-8. */
  name: string
  abi: unknown[]
  /** Creation code with constructor arguments, hex. */
  bytecode: string
  callValue: bigint
  userPercent: bigint
  originEnergyLimit: bigint
  /** Transaction of a creation by CREATE2. */
  trxHash?: string
  version: number
  /** How much more each of its operations costs while it is busy, in ten-thousandths. A fork has the one of its chain. @default 0 */
  energyFactor?: bigint
}

/** A block producer or candidate. */
export type Witness = {
  address: string
  /** Hex of the UTF-8. */
  url: string
  voteCount: bigint
  produced: bigint
  missed: bigint
  latestBlock: number
  latestSlot: number
  isJobs: boolean
  /** Percentage of the rewards that the witness keeps. */
  brokerage: number
}

/** A proposal to change chain parameters. */
export type Proposal = {
  id: number
  proposer: string
  parameters: { key: bigint; value: bigint }[]
  created: number
  expires: number
  approvals: string[]
  state: 'PENDING' | 'DISAPPROVED' | 'APPROVED' | 'CANCELED'
}

/** A TRC-10 token. */
export type Asset = {
  id: string
  owner: string
  /** Hex, like the other texts. */
  name: string
  abbr: string
  description: string
  url: string
  supply: bigint
  /** Parts of the supply, which the issuer gets some days after the start. */
  frozenSupply: { amount: bigint; days: bigint }[]
  trxNum: bigint
  num: bigint
  precision: number
  start: number
  end: number
  freeNetLimit: bigint
  publicFreeNetLimit: bigint
}

/** A delegated stake in sun, and the time in milliseconds at which its lock expires. */
export type Delegation = { amount: bigint; expires: number }

/** The recovery time of a resource, 24 hours, in thousandths of slots. */
export const FULL_WINDOW = 28_800_000n

const unused: Usage = { used: 0n, time: 0n, window: FULL_WINDOW }

/** The default operations of an active permission: every type that the chain executes. */
const DEFAULT_OPERATIONS = '7fff1fc0033ec30f000000000000000000000000000000000000000000000000'

/** The permissions of a new account: its own key, with weight 1 of 1. */
export function defaultPermissions(address: string): Pick<Account, 'owner' | 'active'> {
  const keys = [{ address, weight: 1n }]
  return {
    owner: { type: 'Owner', id: 0, name: 'owner', threshold: 1n, keys },
    active: [
      {
        type: 'Active',
        id: 2,
        name: 'active',
        threshold: 1n,
        operations: DEFAULT_OPERATIONS,
        keys,
      },
    ],
  }
}

/** The record of a new contract without name, ABI and value. Its callers pay all energy. */
export function newContract(address: string, origin: string): ContractRecord {
  return {
    address,
    origin,
    name: '',
    abi: [],
    bytecode: '',
    callValue: 0n,
    userPercent: 100n,
    originEnergyLimit: 0n,
    version: 1,
  }
}

/** A new account without coins and used resources. Contracts and genesis accounts have no permissions. */
export function newAccount(
  address: string,
  type: Account['type'],
  createTime: number,
  name = '',
): Account {
  return {
    address,
    name,
    type,
    balance: 0n,
    createTime,
    latestOperation: 0,
    latestWithdraw: 0,
    votes: [],
    assets: {},
    frozen: { BANDWIDTH: 0n, ENERGY: 0n, TRON_POWER: 0n },
    unfreezing: [],
    delegated: { BANDWIDTH: 0n, ENERGY: 0n },
    acquired: { BANDWIDTH: 0n, ENERGY: 0n },
    net: unused,
    freeNet: unused,
    energy: unused,
    ...(type === 'Normal' && createTime > 0 ? defaultPermissions(address) : { active: [] }),
    isWitness: false,
  }
}
