import type { DescMessage } from '@bufbuild/protobuf'

import * as schemas from './gen/contracts_pb.ts'

/**
 * The message of each contract type, by type name. `CustomContract` and `GetContract` have a number and no message: no
 * node accepts them.
 */
export const contractSchemas = {
  AccountCreateContract: schemas.AccountCreateContractSchema,
  TransferContract: schemas.TransferContractSchema,
  TransferAssetContract: schemas.TransferAssetContractSchema,
  VoteAssetContract: schemas.VoteAssetContractSchema,
  VoteWitnessContract: schemas.VoteWitnessContractSchema,
  WitnessCreateContract: schemas.WitnessCreateContractSchema,
  AssetIssueContract: schemas.AssetIssueContractSchema,
  WitnessUpdateContract: schemas.WitnessUpdateContractSchema,
  ParticipateAssetIssueContract: schemas.ParticipateAssetIssueContractSchema,
  AccountUpdateContract: schemas.AccountUpdateContractSchema,
  FreezeBalanceContract: schemas.FreezeBalanceContractSchema,
  UnfreezeBalanceContract: schemas.UnfreezeBalanceContractSchema,
  WithdrawBalanceContract: schemas.WithdrawBalanceContractSchema,
  UnfreezeAssetContract: schemas.UnfreezeAssetContractSchema,
  UpdateAssetContract: schemas.UpdateAssetContractSchema,
  ProposalCreateContract: schemas.ProposalCreateContractSchema,
  ProposalApproveContract: schemas.ProposalApproveContractSchema,
  ProposalDeleteContract: schemas.ProposalDeleteContractSchema,
  SetAccountIdContract: schemas.SetAccountIdContractSchema,
  CreateSmartContract: schemas.CreateSmartContractSchema,
  TriggerSmartContract: schemas.TriggerSmartContractSchema,
  UpdateSettingContract: schemas.UpdateSettingContractSchema,
  ExchangeCreateContract: schemas.ExchangeCreateContractSchema,
  ExchangeInjectContract: schemas.ExchangeInjectContractSchema,
  ExchangeWithdrawContract: schemas.ExchangeWithdrawContractSchema,
  ExchangeTransactionContract: schemas.ExchangeTransactionContractSchema,
  UpdateEnergyLimitContract: schemas.UpdateEnergyLimitContractSchema,
  AccountPermissionUpdateContract: schemas.AccountPermissionUpdateContractSchema,
  ClearABIContract: schemas.ClearABIContractSchema,
  UpdateBrokerageContract: schemas.UpdateBrokerageContractSchema,
  ShieldedTransferContract: schemas.ShieldedTransferContractSchema,
  MarketSellAssetContract: schemas.MarketSellAssetContractSchema,
  MarketCancelOrderContract: schemas.MarketCancelOrderContractSchema,
  FreezeBalanceV2Contract: schemas.FreezeBalanceV2ContractSchema,
  UnfreezeBalanceV2Contract: schemas.UnfreezeBalanceV2ContractSchema,
  WithdrawExpireUnfreezeContract: schemas.WithdrawExpireUnfreezeContractSchema,
  DelegateResourceContract: schemas.DelegateResourceContractSchema,
  UnDelegateResourceContract: schemas.UnDelegateResourceContractSchema,
  CancelAllUnfreezeV2Contract: schemas.CancelAllUnfreezeV2ContractSchema,
} as const satisfies Record<string, DescMessage>

/** Name of a contract type that can be encoded. */
export type ContractType = keyof typeof contractSchemas

/** The message of a contract type; undefined for a name that has none. */
export function contractSchema(type: string): DescMessage | undefined {
  return Object.hasOwn(contractSchemas, type) ? contractSchemas[type as ContractType] : undefined
}
