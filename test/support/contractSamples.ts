import type { ContractType } from '../../src/native/protobuf/contracts.ts'
import type { Transaction } from '../../src/native/wire/types.ts'

/** An account. */
export const owner = '41ab9d99702700d5cb9e1309374606fe24a4fdf8ba'
const other = '4142194febc0f076d4151747569ae87374b41f4a09'
const big = 9_007_199_254_740_993n
/** The fields of a contract of this account. */
export const owned = { owner_address: owner }
const described = { rk: 'aa', zkproof: 'bb' }
const exchange = { ...owned, exchange_id: 3, token_id: '5f', quant: big }
const delegated = { ...owned, resource: 'ENERGY', balance: big, receiver_address: other }

/** A value of each contract type, with every kind of field that it has. */
export const samples: Record<ContractType, Record<string, unknown>> = {
  AccountCreateContract: { ...owned, account_address: other, type: 'Contract' },
  TransferContract: { ...owned, to_address: other, amount: big },
  TransferAssetContract: { ...owned, asset_name: '31303030303031', to_address: other, amount: 7 },
  VoteAssetContract: { ...owned, vote_address: [other, owner], support: true, count: 5 },
  VoteWitnessContract: {
    ...owned,
    votes: [
      { vote_address: other, vote_count: 2 },
      { vote_address: owner, vote_count: 1 },
    ],
    support: true,
  },
  WitnessCreateContract: { ...owned, url: '6162' },
  AssetIssueContract: {
    ...owned,
    name: '61',
    abbr: '62',
    total_supply: big,
    frozen_supply: [{ frozen_amount: 1, frozen_days: 2 }],
    trx_num: 1,
    precision: 6,
    num: 2,
    start_time: 1_795_261_707_522,
    end_time: 1_795_348_047_522,
    vote_score: 1,
    description: '63',
    url: '64',
    free_asset_net_limit: 4,
    public_free_asset_net_limit: 5,
    id: '1000001',
  },
  WitnessUpdateContract: { ...owned, update_url: '6162' },
  ParticipateAssetIssueContract: { ...owned, to_address: other, asset_name: '61', amount: big },
  AccountUpdateContract: { ...owned, account_name: '6162' },
  FreezeBalanceContract: {
    ...owned,
    frozen_balance: big,
    frozen_duration: 3,
    resource: 'TRON_POWER',
    receiver_address: other,
  },
  UnfreezeBalanceContract: { ...owned, resource: 'ENERGY', receiver_address: other },
  WithdrawBalanceContract: owned,
  UnfreezeAssetContract: owned,
  UpdateAssetContract: {
    ...owned,
    description: '61',
    url: '62',
    new_limit: 1,
    new_public_limit: 2,
  },
  // Neither sorted nor without zeros: both would be lost in a map.
  ProposalCreateContract: {
    ...owned,
    parameters: [
      { key: 11, value: 210 },
      { key: 3, value: 0 },
      { key: 0, value: 60_000 },
    ],
  },
  ProposalApproveContract: { ...owned, proposal_id: 2, is_add_approval: true },
  ProposalDeleteContract: { ...owned, proposal_id: 2 },
  SetAccountIdContract: { ...owned, account_id: '6162636465666768' },
  CreateSmartContract: {
    ...owned,
    new_contract: {
      origin_address: owner,
      // Set and empty, as the node's own builder leaves it.
      abi: {},
      bytecode: '6001',
      call_value: big,
      consume_user_resource_percent: 100,
      name: 'Name',
      origin_energy_limit: 10_000_000,
    },
    call_token_value: 1,
    token_id: 1_000_001,
  },
  TriggerSmartContract: {
    ...owned,
    contract_address: other,
    call_value: big,
    data: 'a9059cbb',
    call_token_value: 1,
    token_id: 1_000_001,
  },
  UpdateSettingContract: { ...owned, contract_address: other, consume_user_resource_percent: 30 },
  ExchangeCreateContract: {
    ...owned,
    first_token_id: '31',
    first_token_balance: big,
    second_token_id: '5f',
    second_token_balance: 2,
  },
  ExchangeInjectContract: exchange,
  ExchangeWithdrawContract: exchange,
  ExchangeTransactionContract: { ...exchange, expected: 9 },
  UpdateEnergyLimitContract: { ...owned, contract_address: other, origin_energy_limit: 9 },
  AccountPermissionUpdateContract: {
    ...owned,
    owner: { permission_name: 'owner', threshold: 2, keys: [{ address: other, weight: 2 }] },
    witness: {
      type: 'Witness',
      id: 1,
      permission_name: 'witness',
      threshold: 1,
      keys: [{ address: other, weight: 1 }],
    },
    actives: [
      {
        type: 'Active',
        id: 2,
        permission_name: 'active',
        threshold: 1,
        operations: '7fff1fc0033e0000000000000000000000000000000000000000000000000000',
        keys: [{ address: owner, weight: 1 }],
      },
    ],
  },
  ClearABIContract: { ...owned, contract_address: other },
  UpdateBrokerageContract: { ...owned, brokerage: 20 },
  ShieldedTransferContract: {
    transparent_from_address: owner,
    from_amount: big,
    spend_description: [described],
    receive_description: [{ epk: 'cc' }],
    binding_signature: 'dd',
    transparent_to_address: other,
    to_amount: 2,
  },
  MarketSellAssetContract: {
    ...owned,
    sell_token_id: '31',
    sell_token_quantity: big,
    buy_token_id: '5f',
    buy_token_quantity: 2,
  },
  MarketCancelOrderContract: { ...owned, order_id: 'ab' },
  FreezeBalanceV2Contract: { ...owned, frozen_balance: big, resource: 'ENERGY' },
  UnfreezeBalanceV2Contract: { ...owned, unfreeze_balance: big, resource: 'TRON_POWER' },
  WithdrawExpireUnfreezeContract: owned,
  DelegateResourceContract: { ...delegated, lock: true, lock_period: 86_400 },
  UnDelegateResourceContract: delegated,
  CancelAllUnfreezeV2Contract: owned,
}

/** The content of a transaction with one contract. */
export function rawDataOf(type: string, value: Record<string, unknown>): Transaction['raw_data'] {
  return {
    contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
    ref_block_bytes: '0081',
    ref_block_hash: 'd178c06ebf8f6f21',
    expiration: 1_795_261_857_000,
    timestamp: 1_795_261_797_000,
  }
}
