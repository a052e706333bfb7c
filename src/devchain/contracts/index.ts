import * as account from './account.ts'
import * as asset from './asset.ts'
import * as contract from './contractSettings.ts'
import { DelegateResourceContract, UnDelegateResourceContract } from './delegate.ts'
import * as freeze from './freeze.ts'
import * as proposal from './proposal.ts'
import { TransferContract } from './transfer.ts'
import type { ContractType } from './types.ts'
import * as vote from './vote.ts'

/** Every native contract type that the chain executes, by name. */
export const contractTypes: Readonly<Record<string, ContractType>> = {
  TransferContract,
  AccountCreateContract: account.AccountCreateContract,
  AccountUpdateContract: account.AccountUpdateContract,
  SetAccountIdContract: account.SetAccountIdContract,
  AccountPermissionUpdateContract: account.AccountPermissionUpdateContract,
  AssetIssueContract: asset.AssetIssueContract,
  TransferAssetContract: asset.TransferAssetContract,
  ParticipateAssetIssueContract: asset.ParticipateAssetIssueContract,
  UpdateAssetContract: asset.UpdateAssetContract,
  UnfreezeAssetContract: asset.UnfreezeAssetContract,
  FreezeBalanceContract: freeze.FreezeBalanceContract,
  UnfreezeBalanceContract: freeze.UnfreezeBalanceContract,
  FreezeBalanceV2Contract: freeze.FreezeBalanceV2Contract,
  UnfreezeBalanceV2Contract: freeze.UnfreezeBalanceV2Contract,
  WithdrawExpireUnfreezeContract: freeze.WithdrawExpireUnfreezeContract,
  CancelAllUnfreezeV2Contract: freeze.CancelAllUnfreezeV2Contract,
  DelegateResourceContract,
  UnDelegateResourceContract,
  VoteWitnessContract: vote.VoteWitnessContract,
  WitnessCreateContract: vote.WitnessCreateContract,
  WitnessUpdateContract: vote.WitnessUpdateContract,
  UpdateBrokerageContract: vote.UpdateBrokerageContract,
  WithdrawBalanceContract: vote.WithdrawBalanceContract,
  ProposalCreateContract: proposal.ProposalCreateContract,
  ProposalApproveContract: proposal.ProposalApproveContract,
  ProposalDeleteContract: proposal.ProposalDeleteContract,
  UpdateSettingContract: contract.UpdateSettingContract,
  UpdateEnergyLimitContract: contract.UpdateEnergyLimitContract,
  ClearABIContract: contract.ClearABIContract,
}
