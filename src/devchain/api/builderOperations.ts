import type { Resource } from '../state/model.ts'
import { build, present, printBuilt } from './build.ts'
import type { Call, Operation, Operations } from './operation.ts'
import { type Params, parseError, readParams } from './request.ts'

/** How a member of a request is read. */
type Reader = (params: Params, name: string) => unknown

const address = (params: Params, name: string) => params.hex(name, 'address')
const flag: Reader = (params, name) => params.flag(name)
const int: Reader = (params, name) => params.int(name)
/** An int32, which is a number in the message. */
const short: Reader = (params, name) => Number(params.int(name))
const text: Reader = (params, name) => params.hex(name, 'text')

/** Builds a contract of the owner with these members. */
const builder = (
  type: string,
  members: Readonly<Record<string, Reader>> = {},
  strict = false,
): Operation => ({
  prefix: 'wallet',
  get: 'empty',
  strict,
  run(call) {
    const value: Record<string, unknown> = { owner_address: address(call.params, 'owner_address') }
    for (const [name, read] of Object.entries(members)) value[name] = read(call.params, name)
    return printBuilt(call, build(call, { type, value }))
  },
})

const RESOURCES: Readonly<Record<string, number>> = { BANDWIDTH: 0, ENERGY: 1, TRON_POWER: 2 }

function resource(params: Params, name: string): Resource | 'TRON_POWER' | undefined {
  const value = params.json[name]
  const names = Object.keys(RESOURCES) as (Resource | 'TRON_POWER')[]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && names[value]) return names[value]
  if (typeof value === 'string' && value in RESOURCES) return value as Resource
  throw parseError(
    `1:1: Enum type "protocol.ResourceCode" has no value named "${JSON.stringify(value)}".`,
  )
}

const PERMISSION_TYPES = ['Owner', 'Witness', 'Active']

/** A permission of a request in the wire format: keys in hex, the type by name. */
function permission(params: Params, value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, keys, operations, ...rest } = value as Record<string, unknown>
  return present({
    ...rest,
    type: typeof type === 'number' ? PERMISSION_TYPES[type] : type,
    operations,
    keys: (Array.isArray(keys) ? keys : []).map((key: { address: unknown; weight: unknown }) =>
      present({ address: innerAddress(params, 'address', key.address), weight: key.weight }),
    ),
  })
}

/** Reads an address in an inner object by the rules of the outer object. */
function innerAddress({ visible }: Params, name: string, value: unknown): string {
  return readParams(JSON.stringify({ [name]: String(value), visible })).hex(name, 'address')
}

const list = (params: Params, name: string): Record<string, unknown>[] => {
  const value = params.json[name]
  if (Array.isArray(value)) return value as Record<string, unknown>[]
  // A value that is not a list counts as a list of one element.
  return typeof value === 'object' && value !== null ? [value as Record<string, unknown>] : []
}

function deploy(call: Call): unknown {
  const { params } = call
  const owner = address(params, 'owner_address')
  const abi = params.has('abi') ? params.text('abi') : undefined
  const code = params.text('bytecode') + (params.has('parameter') ? params.text('parameter') : '')
  const loose = (name: string) =>
    BigInt((params.json[name] as number | bigint | string | undefined) ?? 0)
  const transaction = build(
    call,
    {
      type: 'CreateSmartContract',
      value: {
        owner_address: owner,
        call_token_value: loose('call_token_value'),
        token_id: loose('token_id'),
        new_contract: {
          ...present({
            origin_address: owner,
            bytecode: code.replace(/^0x/, ''),
            call_value: loose('call_value'),
            consume_user_resource_percent: loose('consume_user_resource_percent'),
            name: params.text('name'),
            origin_energy_limit: loose('origin_energy_limit'),
          }),
          abi: abi === undefined ? {} : readAbi(abi),
        },
      },
    },
    { feeLimit: loose('fee_limit') },
  )
  return printBuilt(call, transaction)
}

/** The ABI of a compiler in the chain's format: capitalised types, without members that the chain does not keep. */
function readAbi(text: string): { entrys?: unknown[] } {
  let entries: unknown
  try {
    entries = JSON.parse(text)
  } catch {
    entries = undefined
  }
  if (!Array.isArray(entries)) throw parseError('1:11: Expected "{".')
  const capital = (value: unknown) =>
    typeof value === 'string'
      ? value.charAt(0).toUpperCase() + value.slice(1).toLowerCase()
      : undefined
  const parameters = (value: unknown) =>
    (Array.isArray(value) ? value : []).map((item: Record<string, unknown>) =>
      present({ indexed: item['indexed'], name: item['name'], type: item['type'] }),
    )
  const entrys = (entries as Record<string, unknown>[]).map((entry) =>
    present({
      anonymous: entry['anonymous'],
      constant: entry['constant'],
      name: entry['name'],
      inputs: parameters(entry['inputs']),
      outputs: parameters(entry['outputs']),
      type: capital(entry['type']),
      payable: entry['payable'],
      stateMutability: capital(entry['stateMutability']),
    }),
  )
  return entrys.length > 0 ? { entrys } : {}
}

const permissions = {
  owner: (params) => permission(params, params.json['owner']),
  witness: (params) => permission(params, params.json['witness']),
  actives: (params) => list(params, 'actives').map((item) => permission(params, item)),
} satisfies Record<string, Reader>

const votes: Reader = (params) =>
  list(params, 'votes').map((vote) => ({
    vote_address: innerAddress(params, 'vote_address', vote['vote_address']),
    vote_count: vote['vote_count'],
  }))

const chainParameters: Reader = (params) =>
  list(params, 'parameters').map(({ key, value }) => ({ key, value: value ?? 0 }))

/** The builders. Each returns an unsigned transaction. */
export const builderOperations: Operations = {
  createtransaction: builder('TransferContract', { to_address: address, amount: int }, true),
  transferasset: builder('TransferAssetContract', {
    asset_name: text,
    to_address: address,
    amount: int,
  }),
  createaccount: builder('AccountCreateContract', { account_address: address }),
  updateaccount: builder('AccountUpdateContract', { account_name: text }),
  setaccountid: builder('SetAccountIdContract', { account_id: text }),
  accountpermissionupdate: builder('AccountPermissionUpdateContract', permissions),
  freezebalance: builder('FreezeBalanceContract', {
    frozen_balance: int,
    frozen_duration: int,
    resource,
    receiver_address: address,
  }),
  unfreezebalance: builder('UnfreezeBalanceContract', { resource, receiver_address: address }),
  freezebalancev2: builder('FreezeBalanceV2Contract', { frozen_balance: int, resource }),
  unfreezebalancev2: builder('UnfreezeBalanceV2Contract', { unfreeze_balance: int, resource }),
  withdrawexpireunfreeze: builder('WithdrawExpireUnfreezeContract'),
  cancelallunfreezev2: builder('CancelAllUnfreezeV2Contract'),
  delegateresource: builder('DelegateResourceContract', {
    resource,
    balance: int,
    receiver_address: address,
    lock: flag,
    lock_period: int,
  }),
  undelegateresource: builder('UnDelegateResourceContract', {
    resource,
    balance: int,
    receiver_address: address,
  }),
  votewitnessaccount: builder('VoteWitnessContract', { votes }),
  createwitness: builder('WitnessCreateContract', { url: text }),
  updatewitness: builder('WitnessUpdateContract', { update_url: text }),
  updateBrokerage: builder('UpdateBrokerageContract', { brokerage: short }),
  withdrawbalance: builder('WithdrawBalanceContract'),
  proposalcreate: builder('ProposalCreateContract', { parameters: chainParameters }),
  proposalapprove: builder('ProposalApproveContract', { proposal_id: int, is_add_approval: flag }),
  proposaldelete: builder('ProposalDeleteContract', { proposal_id: int }),
  createassetissue: builder('AssetIssueContract', {
    name: text,
    abbr: text,
    total_supply: int,
    frozen_supply: list,
    trx_num: short,
    precision: short,
    num: short,
    start_time: int,
    end_time: int,
    description: text,
    url: text,
    free_asset_net_limit: int,
    public_free_asset_net_limit: int,
  }),
  updateasset: builder('UpdateAssetContract', {
    description: text,
    url: text,
    new_limit: int,
    new_public_limit: int,
  }),
  participateassetissue: builder('ParticipateAssetIssueContract', {
    to_address: address,
    asset_name: text,
    amount: int,
  }),
  unfreezeasset: builder('UnfreezeAssetContract'),
  updatesetting: builder('UpdateSettingContract', {
    contract_address: address,
    consume_user_resource_percent: int,
  }),
  updateenergylimit: builder('UpdateEnergyLimitContract', {
    contract_address: address,
    origin_energy_limit: int,
  }),
  clearabi: builder('ClearABIContract', { contract_address: address }),
  deploycontract: { prefix: 'wallet', get: 'empty', run: deploy },
}
