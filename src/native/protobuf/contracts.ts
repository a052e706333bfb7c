import type { DescMessage } from '@bufbuild/protobuf'

import * as schemas from './gen/contracts_pb.ts'

/** The contract types that have a message. `CustomContract` and `GetContract` have a number only: no node accepts them. */
const TYPES = [
  'AccountCreateContract',
  'TransferContract',
  'TransferAssetContract',
  'VoteAssetContract',
  'VoteWitnessContract',
  'WitnessCreateContract',
  'AssetIssueContract',
  'WitnessUpdateContract',
  'ParticipateAssetIssueContract',
  'AccountUpdateContract',
  'FreezeBalanceContract',
  'UnfreezeBalanceContract',
  'WithdrawBalanceContract',
  'UnfreezeAssetContract',
  'UpdateAssetContract',
  'ProposalCreateContract',
  'ProposalApproveContract',
  'ProposalDeleteContract',
  'SetAccountIdContract',
  'CreateSmartContract',
  'TriggerSmartContract',
  'UpdateSettingContract',
  'ExchangeCreateContract',
  'ExchangeInjectContract',
  'ExchangeWithdrawContract',
  'ExchangeTransactionContract',
  'UpdateEnergyLimitContract',
  'AccountPermissionUpdateContract',
  'ClearABIContract',
  'UpdateBrokerageContract',
  'ShieldedTransferContract',
  'MarketSellAssetContract',
  'MarketCancelOrderContract',
  'FreezeBalanceV2Contract',
  'UnfreezeBalanceV2Contract',
  'WithdrawExpireUnfreezeContract',
  'DelegateResourceContract',
  'UnDelegateResourceContract',
  'CancelAllUnfreezeV2Contract',
] as const

/** Name of a contract type that can be encoded. */
export type ContractType = (typeof TYPES)[number]

/** The message of each contract type, by type name. */
export const contractSchemas = Object.fromEntries(
  // oxlint-disable-next-line import/namespace -- the compiler checks that each name is one of the generated code
  TYPES.map((type): [string, DescMessage] => [type, schemas[`${type}Schema`]]),
) as Record<ContractType, DescMessage>

/** The message of a contract type; undefined for a name that has none. */
export function contractSchema(type: string): DescMessage | undefined {
  return Object.hasOwn(contractSchemas, type) ? contractSchemas[type as ContractType] : undefined
}
