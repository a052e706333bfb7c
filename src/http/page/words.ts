/** Readable names of contract types. A type that is not in the table has its native name. */
const TYPES: Readonly<Record<string, string>> = {
  AccountCreateContract: 'Create account',
  AccountPermissionUpdateContract: 'Update permissions',
  AccountUpdateContract: 'Name account',
  AssetIssueContract: 'Issue token',
  CancelAllUnfreezeV2Contract: 'Cancel unstaking',
  ClearABIContract: 'Clear contract ABI',
  CreateSmartContract: 'Create contract',
  DelegateResourceContract: 'Delegate resources',
  ExchangeCreateContract: 'Create exchange',
  ExchangeInjectContract: 'Add to exchange',
  ExchangeTransactionContract: 'Trade on exchange',
  ExchangeWithdrawContract: 'Withdraw from exchange',
  FreezeBalanceContract: 'Stake (first version)',
  FreezeBalanceV2Contract: 'Stake',
  MarketCancelOrderContract: 'Cancel market order',
  MarketSellAssetContract: 'Place market order',
  ParticipateAssetIssueContract: 'Buy issued token',
  ProposalApproveContract: 'Approve proposal',
  ProposalCreateContract: 'Create proposal',
  ProposalDeleteContract: 'Delete proposal',
  SetAccountIdContract: 'Set account id',
  ShieldedTransferContract: 'Shielded transfer',
  TransferAssetContract: 'Token transfer (TRC-10)',
  TransferContract: 'Coin transfer',
  TriggerSmartContract: 'Call contract',
  UnDelegateResourceContract: 'End delegation',
  UnfreezeAssetContract: 'Release issued token',
  UnfreezeBalanceContract: 'Unstake (first version)',
  UnfreezeBalanceV2Contract: 'Unstake',
  UpdateAssetContract: 'Update token',
  UpdateBrokerageContract: 'Set brokerage',
  UpdateEnergyLimitContract: 'Set contract energy limit',
  UpdateSettingContract: 'Set contract energy share',
  VoteAssetContract: 'Vote with token',
  VoteWitnessContract: 'Vote for producers',
  WithdrawBalanceContract: 'Withdraw rewards',
  WithdrawExpireUnfreezeContract: 'Withdraw unstaked coins',
  WitnessCreateContract: 'Apply as producer',
  WitnessUpdateContract: 'Update producer',
}

/** The readable name of a contract type. */
export function typeInWords(type: string | undefined): string {
  return type === undefined ? 'Unknown' : (TYPES[type] ?? type.replace(/Contract$/, ''))
}

/** The readable type of an internal transaction, from the note of the node. */
export function noteInWords(note: string): string {
  const words: Record<string, string> = {
    call: 'transfer or call',
    create: 'create contract',
    suicide: 'self-destruct',
  }
  return words[note] ?? note
}
