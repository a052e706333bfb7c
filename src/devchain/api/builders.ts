import type { Resource } from '../state/model.ts'
import { build, present, printBuilt } from './build.ts'
import type { Call, Operation, Operations } from './operation.ts'
import { NodeError, readParams } from './request.ts'
import type { Params } from './request.ts'

type Fields = (params: Params) => Record<string, unknown>

const builder = (type: string, fields: Fields, strict = false): Operation => ({
  prefix: 'wallet',
  get: 'empty',
  strict,
  run: (call) =>
    printBuilt(
      call,
      build(call, {
        type,
        value: {
          owner_address: call.params.hex('owner_address', 'address'),
          ...fields(call.params),
        },
      }),
    ),
})

const RESOURCES: Readonly<Record<string, number>> = { BANDWIDTH: 0, ENERGY: 1, TRON_POWER: 2 }

function resource(params: Params, name = 'resource'): Resource | 'TRON_POWER' | undefined {
  const value = params.json[name]
  const names = Object.keys(RESOURCES) as (Resource | 'TRON_POWER')[]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && names[value]) return names[value]
  if (typeof value === 'string' && value in RESOURCES) return value as Resource
  throw new NodeError(
    'org.tron.core.services.http.JsonFormat$ParseException',
    `1:1: Enum type "protocol.ResourceCode" has no value named "${JSON.stringify(value)}".`,
  )
}

const address = (params: Params, name: string) => params.hex(name, 'address')

const PERMISSION_TYPES = ['Owner', 'Witness', 'Active']

/** A permission of a request in the wire format: keys in hex, the type by name. */
function permission(params: Params, value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { type, keys, operations, ...rest } = value as Record<string, unknown>
  const inner = (address: unknown) =>
    nested(params, 'address', String(address)).hex('address', 'address')
  return present({
    ...rest,
    type: typeof type === 'number' ? PERMISSION_TYPES[type] : type,
    operations,
    keys: (Array.isArray(keys) ? keys : []).map((key: { address: unknown; weight: unknown }) =>
      present({ address: inner(key.address), weight: key.weight }),
    ),
  })
}

/** Reads a member of an inner object by the rules of the outer object. */
function nested(params: Params, name: string, text: string): Params {
  return { ...params, hex: (_name, kind) => readMember(params, name, text, kind) }
}

function readMember(
  params: Params,
  name: string,
  text: string,
  kind?: 'bytes' | 'address' | 'text',
) {
  const inner = readParams(JSON.stringify({ [name]: text, visible: params.visible }))
  return inner.hex(name, kind)
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
  if (!Array.isArray(entries))
    throw new NodeError(
      'org.tron.core.services.http.JsonFormat$ParseException',
      '1:11: Expected "{".',
    )
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

/** The builders. Each returns an unsigned transaction. */
export const builderOperations: Operations = {
  createtransaction: builder(
    'TransferContract',
    (params) => ({ to_address: address(params, 'to_address'), amount: params.int('amount') }),
    true,
  ),
  transferasset: builder('TransferAssetContract', (params) => ({
    asset_name: params.hex('asset_name', 'text'),
    to_address: address(params, 'to_address'),
    amount: params.int('amount'),
  })),
  createaccount: builder('AccountCreateContract', (params) => ({
    account_address: address(params, 'account_address'),
  })),
  updateaccount: builder('AccountUpdateContract', (params) => ({
    account_name: params.hex('account_name', 'text'),
  })),
  setaccountid: builder('SetAccountIdContract', (params) => ({
    account_id: params.hex('account_id', 'text'),
  })),
  accountpermissionupdate: builder('AccountPermissionUpdateContract', (params) => ({
    owner: permission(params, params.json['owner']),
    witness: permission(params, params.json['witness']),
    actives: list(params, 'actives').map((item) => permission(params, item)),
  })),
  freezebalance: builder('FreezeBalanceContract', (params) => ({
    frozen_balance: params.int('frozen_balance'),
    frozen_duration: params.int('frozen_duration'),
    resource: resource(params),
    receiver_address: address(params, 'receiver_address'),
  })),
  unfreezebalance: builder('UnfreezeBalanceContract', (params) => ({
    resource: resource(params),
    receiver_address: address(params, 'receiver_address'),
  })),
  freezebalancev2: builder('FreezeBalanceV2Contract', (params) => ({
    frozen_balance: params.int('frozen_balance'),
    resource: resource(params),
  })),
  unfreezebalancev2: builder('UnfreezeBalanceV2Contract', (params) => ({
    unfreeze_balance: params.int('unfreeze_balance'),
    resource: resource(params),
  })),
  withdrawexpireunfreeze: builder('WithdrawExpireUnfreezeContract', () => ({})),
  cancelallunfreezev2: builder('CancelAllUnfreezeV2Contract', () => ({})),
  delegateresource: builder('DelegateResourceContract', (params) => ({
    resource: resource(params),
    balance: params.int('balance'),
    receiver_address: address(params, 'receiver_address'),
    lock: params.flag('lock'),
    lock_period: params.int('lock_period'),
  })),
  undelegateresource: builder('UnDelegateResourceContract', (params) => ({
    resource: resource(params),
    balance: params.int('balance'),
    receiver_address: address(params, 'receiver_address'),
  })),
  votewitnessaccount: builder('VoteWitnessContract', (params) => ({
    votes: list(params, 'votes').map((vote) => ({
      vote_address: readMember(params, 'vote_address', String(vote['vote_address']), 'address'),
      vote_count: vote['vote_count'],
    })),
  })),
  createwitness: builder('WitnessCreateContract', (params) => ({ url: params.hex('url', 'text') })),
  updatewitness: builder('WitnessUpdateContract', (params) => ({
    update_url: params.hex('update_url', 'text'),
  })),
  updateBrokerage: builder('UpdateBrokerageContract', (params) => ({
    brokerage: Number(params.int('brokerage')),
  })),
  withdrawbalance: builder('WithdrawBalanceContract', () => ({})),
  proposalcreate: builder('ProposalCreateContract', (params) => ({
    parameters: list(params, 'parameters').map(({ key, value }) => ({ key, value: value ?? 0 })),
  })),
  proposalapprove: builder('ProposalApproveContract', (params) => ({
    proposal_id: params.int('proposal_id'),
    is_add_approval: params.flag('is_add_approval'),
  })),
  proposaldelete: builder('ProposalDeleteContract', (params) => ({
    proposal_id: params.int('proposal_id'),
  })),
  createassetissue: builder('AssetIssueContract', (params) => ({
    name: params.hex('name', 'text'),
    abbr: params.hex('abbr', 'text'),
    total_supply: params.int('total_supply'),
    frozen_supply: list(params, 'frozen_supply'),
    trx_num: Number(params.int('trx_num')),
    precision: Number(params.int('precision')),
    num: Number(params.int('num')),
    start_time: params.int('start_time'),
    end_time: params.int('end_time'),
    description: params.hex('description', 'text'),
    url: params.hex('url', 'text'),
    free_asset_net_limit: params.int('free_asset_net_limit'),
    public_free_asset_net_limit: params.int('public_free_asset_net_limit'),
  })),
  updateasset: builder('UpdateAssetContract', (params) => ({
    description: params.hex('description', 'text'),
    url: params.hex('url', 'text'),
    new_limit: params.int('new_limit'),
    new_public_limit: params.int('new_public_limit'),
  })),
  participateassetissue: builder('ParticipateAssetIssueContract', (params) => ({
    to_address: address(params, 'to_address'),
    asset_name: params.hex('asset_name', 'text'),
    amount: params.int('amount'),
  })),
  unfreezeasset: builder('UnfreezeAssetContract', () => ({})),
  updatesetting: builder('UpdateSettingContract', (params) => ({
    contract_address: address(params, 'contract_address'),
    consume_user_resource_percent: params.int('consume_user_resource_percent'),
  })),
  updateenergylimit: builder('UpdateEnergyLimitContract', (params) => ({
    contract_address: address(params, 'contract_address'),
    origin_energy_limit: params.int('origin_energy_limit'),
  })),
  clearabi: builder('ClearABIContract', (params) => ({
    contract_address: address(params, 'contract_address'),
  })),
  deploycontract: { prefix: 'wallet', get: 'empty', run: deploy },
}
