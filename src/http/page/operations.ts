/** A native operation in lists: its name, and the fields with the other account and with the coins that it moves. */
export type Operation = { name: string; to?: string; coins?: string }

const receiver = 'receiver_address'
const contract = 'contract_address'

const OPERATIONS: Readonly<Record<string, Operation>> = {
  AccountCreateContract: { name: 'create account', to: 'account_address' },
  AccountPermissionUpdateContract: { name: 'change permissions' },
  AccountUpdateContract: { name: 'name account' },
  AssetIssueContract: { name: 'issue token' },
  CancelAllUnfreezeV2Contract: { name: 'cancel unstaking' },
  ClearABIContract: { name: 'clear ABI', to: contract },
  CreateSmartContract: { name: 'create contract', coins: 'new_contract.call_value' },
  DelegateResourceContract: { name: 'delegate', to: receiver, coins: 'balance' },
  ExchangeCreateContract: { name: 'create exchange' },
  ExchangeInjectContract: { name: 'add to exchange' },
  ExchangeTransactionContract: { name: 'trade' },
  ExchangeWithdrawContract: { name: 'withdraw from exchange' },
  FreezeBalanceContract: { name: 'stake (old)', to: receiver, coins: 'frozen_balance' },
  FreezeBalanceV2Contract: { name: 'stake', coins: 'frozen_balance' },
  MarketCancelOrderContract: { name: 'cancel order' },
  MarketSellAssetContract: { name: 'place order' },
  ParticipateAssetIssueContract: { name: 'buy token', to: 'to_address', coins: 'amount' },
  ProposalApproveContract: { name: 'approve proposal' },
  ProposalCreateContract: { name: 'create proposal' },
  ProposalDeleteContract: { name: 'delete proposal' },
  SetAccountIdContract: { name: 'set account id' },
  ShieldedTransferContract: { name: 'shielded transfer' },
  TransferAssetContract: { name: 'token transfer', to: 'to_address' },
  TransferContract: { name: 'transfer', to: 'to_address', coins: 'amount' },
  TriggerSmartContract: { name: 'call', to: contract, coins: 'call_value' },
  UnDelegateResourceContract: { name: 'end delegation', to: receiver, coins: 'balance' },
  UnfreezeAssetContract: { name: 'release token' },
  UnfreezeBalanceContract: { name: 'unstake (old)', to: receiver },
  UnfreezeBalanceV2Contract: { name: 'unstake', coins: 'unfreeze_balance' },
  UpdateAssetContract: { name: 'update token' },
  UpdateBrokerageContract: { name: 'set brokerage' },
  UpdateEnergyLimitContract: { name: 'set energy limit', to: contract },
  UpdateSettingContract: { name: 'set energy share', to: contract },
  VoteAssetContract: { name: 'vote with token' },
  VoteWitnessContract: { name: 'vote' },
  WithdrawBalanceContract: { name: 'withdraw rewards' },
  WithdrawExpireUnfreezeContract: { name: 'withdraw unstaked' },
  WitnessCreateContract: { name: 'apply as producer' },
  WitnessUpdateContract: { name: 'update producer' },
}

/** The operation of a native contract type. A type that is not in the table has its native name. */
export function operationOf(type: string | undefined): Operation {
  return OPERATIONS[type ?? ''] ?? { name: type?.replace(/Contract$/, '') ?? 'unknown' }
}
