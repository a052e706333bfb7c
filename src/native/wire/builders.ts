import type { HexAddress } from '../../lib/address.ts'
import type * as account from './accountTypes.ts'
import { build } from './operation.ts'
import type * as request from './requests.ts'
import type * as wire from './types.ts'

type Owner = { owner_address: HexAddress } & request.BuildOptions

/** Operations that build an unsigned transaction, or execute a constant call instead (`triggerSmartContract`). */
export const builders = {
  /** A transfer of coins; `amount` in sun. */
  createTransaction: build<Owner & { to_address: HexAddress; amount: wire.Int64 }>(
    'createtransaction',
  ),
  /** A transaction of a whole content, of any type. */
  createCommonTransaction: build<Pick<wire.Transaction, 'raw_data'> & { visible?: boolean }>(
    'createCommonTransaction',
  ),
  /** A transfer of native tokens; `asset_name` is hex of the ASCII token id. */
  transferAsset: build<
    Owner & { to_address: HexAddress; asset_name: wire.Hex; amount: wire.Int64 }
  >('transferasset'),
  triggerSmartContract: build<request.SmartContractCallRequest, account.ContractCall>(
    'triggersmartcontract',
  ),
  deployContract: build<request.DeployRequest>('deploycontract'),
  updateSetting: build<
    Owner & { contract_address: HexAddress; consume_user_resource_percent: number }
  >('updatesetting'),
  updateEnergyLimit: build<
    Owner & { contract_address: HexAddress; origin_energy_limit: wire.Int64 }
  >('updateenergylimit'),
  clearAbi: build<Owner & { contract_address: HexAddress }>('clearabi'),

  createAccount: build<Owner & { account_address: HexAddress }>('createaccount'),
  updateAccount: build<Owner & { account_name: wire.Hex }>('updateaccount'),
  setAccountId: build<Owner & { account_id: wire.Hex }>('setaccountid'),
  accountPermissionUpdate: build<
    Owner & {
      owner: request.PermissionRequest
      witness?: request.PermissionRequest
      actives: request.PermissionRequest[]
    }
  >('accountpermissionupdate'),

  freezeBalance: build<
    Owner &
      request.ResourceRequest & {
        frozen_balance: wire.Int64
        frozen_duration: number
        receiver_address?: HexAddress
      }
  >('freezebalance'),
  unfreezeBalance: build<Owner & request.ResourceRequest & { receiver_address?: HexAddress }>(
    'unfreezebalance',
  ),
  freezeBalanceV2: build<Owner & request.ResourceRequest & { frozen_balance: wire.Int64 }>(
    'freezebalancev2',
  ),
  unfreezeBalanceV2: build<Owner & request.ResourceRequest & { unfreeze_balance: wire.Int64 }>(
    'unfreezebalancev2',
  ),
  cancelAllUnfreezeV2: build<Owner>('cancelallunfreezev2'),
  withdrawExpireUnfreeze: build<Owner>('withdrawexpireunfreeze'),
  delegateResource: build<
    Owner &
      request.ResourceRequest & {
        receiver_address: HexAddress
        balance: wire.Int64
        lock?: boolean
        lock_period?: number
      }
  >('delegateresource'),
  unDelegateResource: build<
    Owner & request.ResourceRequest & { receiver_address: HexAddress; balance: wire.Int64 }
  >('undelegateresource'),

  createWitness: build<Owner & { url: wire.Hex }>('createwitness'),
  updateWitness: build<Owner & { update_url: wire.Hex }>('updatewitness'),
  updateBrokerage: build<Owner & { brokerage: number }>('updateBrokerage'),
  voteWitnessAccount: build<
    Owner & { votes: { vote_address: HexAddress; vote_count: wire.Int64 }[] }
  >('votewitnessaccount'),
  withdrawBalance: build<Owner>('withdrawbalance'),

  proposalCreate: build<Owner & { parameters: account.Entry<number>[] | account.Entry<number> }>(
    'proposalcreate',
  ),
  proposalApprove: build<Owner & { proposal_id: number; is_add_approval: boolean }>(
    'proposalapprove',
  ),
  proposalDelete: build<Owner & { proposal_id: number }>('proposaldelete'),

  createAssetIssue: build<request.AssetIssueRequest & request.BuildOptions>('createassetissue'),
  participateAssetIssue: build<
    Owner & { to_address: HexAddress; asset_name: wire.Hex; amount: wire.Int64 }
  >('participateassetissue'),
  unfreezeAsset: build<Owner>('unfreezeasset'),
  updateAsset: build<
    Owner & {
      description?: wire.Hex
      url: wire.Hex
      new_limit: wire.Int64
      new_public_limit: wire.Int64
    }
  >('updateasset'),

  exchangeCreate: build<
    Owner & {
      first_token_id: wire.Hex
      first_token_balance: wire.Int64
      second_token_id: wire.Hex
      second_token_balance: wire.Int64
    }
  >('exchangecreate'),
  exchangeInject: build<Owner & { exchange_id: number; token_id: wire.Hex; quant: wire.Int64 }>(
    'exchangeinject',
  ),
  exchangeWithdraw: build<Owner & { exchange_id: number; token_id: wire.Hex; quant: wire.Int64 }>(
    'exchangewithdraw',
  ),
  exchangeTransaction: build<
    Owner & { exchange_id: number; token_id: wire.Hex; quant: wire.Int64; expected: wire.Int64 }
  >('exchangetransaction'),
  marketSellAsset: build<
    Owner & {
      sell_token_id: wire.Hex
      sell_token_quantity: wire.Int64
      buy_token_id: wire.Hex
      buy_token_quantity: wire.Int64
    }
  >('marketsellasset'),
  marketCancelOrder: build<Owner & { order_id: wire.Hex }>('marketcancelorder'),
} as const
