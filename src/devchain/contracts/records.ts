import type { Int64 } from '../../native/wire/types.ts'
import type {
  Account,
  Asset,
  ContractRecord,
  Permission,
  Power,
  Proposal,
  Witness,
} from '../state/model.ts'
import { printInt } from './printing.ts'
import type { Json } from './types.ts'

/** How a value of the state is written in the node's JSON. An absent member is `undefined` there. */
type Format<value> = { print: (value: value) => unknown; read: (json: unknown) => value }

/** A value that is absent when it is the default. */
const or = <value>(absent: value): Format<value> => ({
  print: (value) => (value === absent ? undefined : value),
  read: (json) => (json ?? absent) as value,
})

const text = or('')
const flag = or(false)
const number: Format<number> = { ...or(0), read: (json) => Number(json ?? 0) }

/** An int64 that is also present when it is 0, as in the entries of a map. */
const int: Format<bigint> = {
  print: printInt,
  read: (json) => BigInt((json as Int64 | undefined) ?? 0),
}
const amount: Format<bigint> = {
  ...int,
  print: (value) => (value === 0n ? undefined : printInt(value)),
}

/** Text in the node's JSON, hex of its UTF-8 in the state. */
const utf8: Format<string> = {
  print: (hex) => text.print(Buffer.from(hex, 'hex').toString()),
  read: (json) => Buffer.from(text.read(json)).toString('hex'),
}

/** A member that some records of the state do not have. */
const optional = <value>({ print, read }: Format<value>): Format<value | undefined> => ({
  print: (value) => (value === undefined ? undefined : print(value)),
  read: (json) => (json === undefined ? undefined : read(json)),
})

const listOf = <item>({ print, read }: Format<item>): Format<item[]> => ({
  print: (items) => (items.length > 0 ? items.map(print) : undefined),
  read: (json) => ((json ?? []) as unknown[]).map(read),
})

type RecordFormat<value> = {
  print: (value: value) => Record<string, unknown>
  read: (json: unknown) => value
}

/** A message: each field with its name in the node's JSON, in the order in which the node prints them. */
function record<value extends object>(fields: {
  [name in keyof value]-?: [member: string, format: Format<value[name]>]
}): RecordFormat<value> {
  const rows = Object.entries(fields) as [keyof value & string, [string, Format<unknown>]][]
  const defined = (entries: [string, unknown][]) =>
    Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  return {
    print: (value) =>
      defined(rows.map(([name, [member, { print }]]) => [member, print(value[name])])),
    read: (json) =>
      defined(
        rows.map(([name, [member, { read }]]) => [name, read((json as Json)[member])]),
      ) as value,
  }
}

/** A TRC-10 token. */
export const assetRecord = record<Asset>({
  owner: ['owner_address', text],
  name: ['name', text],
  abbr: ['abbr', text],
  supply: ['total_supply', amount],
  frozenSupply: [
    'frozen_supply',
    listOf(record({ amount: ['frozen_amount', amount], days: ['frozen_days', amount] })),
  ],
  trxNum: ['trx_num', amount],
  precision: ['precision', number],
  num: ['num', amount],
  start: ['start_time', number],
  end: ['end_time', number],
  description: ['description', text],
  url: ['url', text],
  freeNetLimit: ['free_asset_net_limit', amount],
  publicFreeNetLimit: ['public_free_asset_net_limit', amount],
  id: ['id', text],
})

/** A block producer or candidate. The node prints the brokerage elsewhere. */
export const witnessRecord = record<Omit<Witness, 'brokerage'>>({
  address: ['address', text],
  voteCount: ['voteCount', amount],
  url: ['url', utf8],
  produced: ['totalProduced', amount],
  missed: ['totalMissed', amount],
  latestBlock: ['latestBlockNum', number],
  latestSlot: ['latestSlotNum', number],
  isJobs: ['isJobs', flag],
})

/** A proposal to change chain parameters. */
export const proposalRecord = record<Proposal>({
  id: ['proposal_id', number],
  proposer: ['proposer_address', text],
  parameters: ['parameters', listOf(record({ key: ['key', int], value: ['value', int] }))],
  expires: ['expiration_time', number],
  created: ['create_time', number],
  approvals: ['approvals', listOf(text)],
  state: ['state', or<Proposal['state']>('PENDING')],
})

/** A contract. The node prints its energy factor elsewhere. */
export const contractRecord = record<Omit<ContractRecord, 'energyFactor'>>({
  bytecode: ['bytecode', text],
  callValue: ['call_value', amount],
  userPercent: ['consume_user_resource_percent', amount],
  name: ['name', utf8],
  origin: ['origin_address', text],
  abi: [
    'abi',
    {
      print: (entrys) => (entrys.length > 0 ? { entrys } : {}),
      read: (json) => (json as { entrys?: unknown[] } | undefined)?.entrys ?? [],
    },
  ],
  originEnergyLimit: ['origin_energy_limit', amount],
  address: ['contract_address', text],
  trxHash: ['trx_hash', optional(text)],
  version: ['version', number],
})

/** The keys that may sign for an account. */
export const permissionRecord = record<Permission>({
  type: ['type', or<Permission['type']>('Owner')],
  id: ['id', number],
  name: ['permission_name', text],
  threshold: ['threshold', amount],
  operations: ['operations', optional(text)],
  keys: ['keys', listOf(record({ address: ['address', text], weight: ['weight', amount] }))],
})

/** The votes of an account. */
export const voteRecords = listOf<Account['votes'][number]>(
  record({ address: ['vote_address', text], count: ['vote_count', amount] }),
)

/** TRC-10 balances: a map by token id. */
const assets: Format<Account['assets']> = {
  print: (balances) =>
    listOf(entry).print(Object.entries(balances).map(([key, value]) => ({ key, value }))),
  read: (json) =>
    Object.fromEntries(
      listOf(entry)
        .read(json)
        .map(({ key, value }) => [key, value]),
    ),
}
const entry = record<{ key: string; value: bigint }>({ key: ['key', text], value: ['value', int] })

type Computed = 'acquired' | 'delegated' | 'energy' | 'freeNet' | 'frozen' | 'net'

/** An account without its stakes and its used resources. */
export const accountRecord = record<Omit<Account, Computed>>({
  name: ['account_name', text],
  type: ['type', or<Account['type']>('Normal')],
  address: ['address', text],
  balance: ['balance', amount],
  createTime: ['create_time', number],
  latestOperation: ['latest_opration_time', number],
  latestWithdraw: ['latest_withdraw_time', number],
  votes: ['votes', voteRecords],
  owner: ['owner_permission', optional(permissionRecord)],
  witness: ['witness_permission', optional(permissionRecord)],
  active: ['active_permission', listOf(permissionRecord)],
  unfreezing: [
    'unfrozenV2',
    listOf<Account['unfreezing'][number]>(
      record({
        resource: ['type', or<Power>('BANDWIDTH')],
        amount: ['unfreeze_amount', amount],
        expires: ['unfreeze_expire_time', number],
      }),
    ),
  ],
  assets: ['assetV2', assets],
  issuedAsset: ['asset_issued_ID', optional(text)],
  issuedName: ['asset_issued_name', optional(text)],
  ownPower: [
    'old_tron_power',
    { print: (is) => (is ? -1 : undefined), read: (json) => Number(json) === -1 || undefined },
  ],
  isWitness: ['is_witness', flag],
  accountId: ['account_id', optional(text)],
})
