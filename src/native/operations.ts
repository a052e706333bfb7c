import type * as account from './accountTypes.ts'
import type * as network from './networkTypes.ts'
import type * as request from './requests.ts'
import type * as wire from './types.ts'

/**
 * One operation of the node's HTTP API.
 *
 * - `read`: may be asked again and shared between callers.
 * - `build`: has no effect on the chain, so it may be asked again; but two callers must not get one transaction.
 * - `send`: is asked once.
 */
export type Operation<input, output> = {
  /** Last part of the path; spelled exactly, capitals matter. */
  path: string
  kind: 'read' | 'build' | 'send'
  method: 'GET' | 'POST'
  /** What the node means when it answers `{}`. @default 'itself' */
  empty?: 'unknown' | 'none' | 'itself'
  /** Never set; carries the types of request and answer. */
  readonly types?: { input: input; output: output }
}

type Empty = undefined
type Build = wire.Transaction
type Owner = { owner_address: wire.HexAddress } & request.BuildOptions
type Value = { value: wire.Hex }
type Page = { offset: number; limit: number }

/** A query whose answer `{}` means that there is no such thing. */
const find = <input, output>(path: string): Operation<input, output | undefined> => ({
  path,
  kind: 'read',
  method: 'POST',
  empty: 'unknown',
})

/** A query that always has an answer; `{}` is one of them. */
const read = <input, output>(path: string): Operation<input, output> => ({
  path,
  kind: 'read',
  method: 'POST',
})

/** A query without a body. The node takes GET and POST; this is the one that the specification names. */
const get = <output>(path: string): Operation<Empty, output> => ({
  path,
  kind: 'read',
  method: 'GET',
})

/** A list; `{}` and a missing list both are an empty one. */
const list = <input, output>(path: string): Operation<input, output[]> => ({
  path,
  kind: 'read',
  method: 'POST',
  empty: 'none',
})

const build = <input, output = Build>(path: string): Operation<input, output> => ({
  path,
  kind: 'build',
  method: 'POST',
})

const send = <input>(path: string): Operation<input, account.BroadcastResult> => ({
  path,
  kind: 'send',
  method: 'POST',
})

/** Operations that both `/wallet` and `/walletsolidity` offer. */
export const sharedOperations = {
  getNowBlock: { ...get<wire.Block>('getnowblock'), method: 'POST' },
  getBlock: find<request.BlockSelector, wire.Block>('getblock'),
  getBlockByNum: find<{ num: number }, wire.Block>('getblockbynum'),
  getBlockById: find<Value, wire.Block>('getblockbyid'),
  /** `startNum` ≤ n < `endNum`, at most 100. */
  getBlockByLimitNext: read<{ startNum: number; endNum: number }, { block?: wire.Block[] }>(
    'getblockbylimitnext',
  ),
  /** 1 to 99 newest, ascending. */
  getBlockByLatestNum: read<{ num: number }, { block?: wire.Block[] }>('getblockbylatestnum'),
  /** On `/wallet` also what is only pending. */
  getTransactionById: find<Value, wire.Transaction>('gettransactionbyid'),
  getTransactionInfoById: find<Value, wire.TransactionInfo>('gettransactioninfobyid'),
  /** In the order of the block; an unknown block has none. */
  getTransactionInfoByBlockNum: list<{ num: number }, wire.TransactionInfo>(
    'gettransactioninfobyblocknum',
  ),
  getTransactionCountByBlockNum: read<{ num: number }, { count: number }>(
    'gettransactioncountbyblocknum',
  ),
  getAccount: find<{ address: wire.HexAddress }, account.Account>('getaccount'),
  getAccountById: find<{ account_id: wire.Hex }, account.Account>('getaccountbyid'),
  getDelegatedResource: read<
    { fromAddress: wire.HexAddress; toAddress: wire.HexAddress },
    account.DelegatedResource
  >('getdelegatedresource'),
  getDelegatedResourceV2: read<
    { fromAddress: wire.HexAddress; toAddress: wire.HexAddress },
    account.DelegatedResource
  >('getdelegatedresourcev2'),
  getDelegatedResourceAccountIndex: find<Value, account.DelegationIndex>(
    'getdelegatedresourceaccountindex',
  ),
  getDelegatedResourceAccountIndexV2: find<Value, account.DelegationIndex>(
    'getdelegatedresourceaccountindexv2',
  ),
  /** `type`: 0 bandwidth, 1 energy. Sun. */
  getCanDelegatedMaxSize: read<
    { owner_address: wire.HexAddress; type: 0 | 1 },
    { max_size?: wire.Int64 }
  >('getcandelegatedmaxsize'),
  getAvailableUnfreezeCount: read<{ owner_address: wire.HexAddress }, { count?: number }>(
    'getavailableunfreezecount',
  ),
  /** Sun; `timestamp` in milliseconds, absent is now. */
  getCanWithdrawUnfreezeAmount: read<
    { owner_address: wire.HexAddress; timestamp?: number },
    { amount?: wire.Int64 }
  >('getcanwithdrawunfreezeamount'),
  triggerConstantContract: read<request.ContractCallRequest, account.ConstantCall>(
    'triggerconstantcontract',
  ),
  estimateEnergy: read<request.ContractCallRequest, account.EnergyEstimate>('estimateenergy'),
  getNodeInfo: get<network.NodeInfo>('getnodeinfo'),
  /** The wire name is a brand name: `getburntrx` answers `burnTrxAmount`, in sun. */
  getBurnNative: get<{ burnNativeAmount: wire.Int64 }>('getburntrx'),
  getEnergyPrices: get<network.PriceHistory>('getenergyprices'),
  getBandwidthPrices: get<network.PriceHistory>('getbandwidthprices'),
  listWitnesses: get<network.Witnesses>('listwitnesses'),
  /** Sun. */
  getReward: read<{ address: wire.HexAddress }, { reward: wire.Int64 }>('getReward'),
  /** Percent. */
  getBrokerage: read<{ address: wire.HexAddress }, { brokerage: number }>('getBrokerage'),
  getAssetIssueById: find<{ value: string }, network.Asset>('getassetissuebyid'),
  getAssetIssueByName: find<Value, network.Asset>('getassetissuebyname'),
  getAssetIssueListByName: read<Value, { assetIssue?: network.Asset[] }>('getassetissuelistbyname'),
  getAssetIssueList: get<{ assetIssue?: network.Asset[] }>('getassetissuelist'),
  getPaginatedAssetIssueList: read<Page, { assetIssue?: network.Asset[] }>(
    'getpaginatedassetissuelist',
  ),
  getExchangeById: find<{ id: number }, network.Exchange>('getexchangebyid'),
  listExchanges: get<{ exchanges?: network.Exchange[] }>('listexchanges'),
  getMarketOrderByAccount: read<Value, Record<string, unknown>>('getmarketorderbyaccount'),
  getMarketOrderById: find<Value, Record<string, unknown>>('getmarketorderbyid'),
  getMarketPriceByPair: read<
    { sell_token_id: wire.Hex; buy_token_id: wire.Hex },
    Record<string, unknown>
  >('getmarketpricebypair'),
  getMarketOrderListByPair: read<
    { sell_token_id: wire.Hex; buy_token_id: wire.Hex },
    Record<string, unknown>
  >('getmarketorderlistbypair'),
  getMarketPairList: get<Record<string, unknown>>('getmarketpairlist'),
} as const

/** Operations that only `/wallet` offers. */
export const walletOperations = {
  validateAddress: read<{ address: string }, network.AddressCheck>('validateaddress'),

  broadcastTransaction: send<request.SignedTransaction>('broadcasttransaction'),
  /** `transaction`: hex of the signed protobuf bytes, sent as they are. */
  broadcastHex: send<{ transaction: wire.Hex }>('broadcasthex'),
  getSignWeight: read<request.SignedTransaction, network.SignWeight>('getsignweight'),
  getApprovedList: read<request.SignedTransaction, network.ApprovedList>('getapprovedlist'),

  getTransactionReceiptById: find<Value, { Receipt?: wire.TransactionInfo['receipt'] }>(
    'gettransactionreceiptbyid',
  ),
  getTransactionListFromPending: get<{ txId?: wire.Hex[] }>('gettransactionlistfrompending'),
  getTransactionFromPending: find<Value, wire.Transaction>('gettransactionfrompending'),
  getPendingSize: get<{ pendingSize: number }>('getpendingsize'),

  getAccountResource: find<{ address: wire.HexAddress }, account.AccountResource>(
    'getaccountresource',
  ),
  getAccountNet: find<{ address: wire.HexAddress }, account.AccountNet>('getaccountnet'),
  getAccountBalance: read<request.AccountBalanceRequest, account.AccountBalance>(
    'getaccountbalance',
  ),
  getBlockBalance: read<account.BlockIdentifier, account.BlockBalance>('getblockbalance'),
  getContract: find<Value, account.Contract>('getcontract'),
  getContractInfo: find<Value, account.ContractInfo>('getcontractinfo'),

  listNodes: get<network.Nodes>('listnodes'),
  getChainParameters: get<network.ChainParameters>('getchainparameters'),
  getMemoFee: get<network.PriceHistory>('getmemofee'),
  /** Milliseconds. */
  getNextMaintenanceTime: get<{ num: number }>('getnextmaintenancetime'),
  getTotalTransaction: get<{ num?: wire.Int64 }>('totaltransaction'),
  getAssetIssueByAccount: read<{ address: wire.HexAddress }, { assetIssue?: network.Asset[] }>(
    'getassetissuebyaccount',
  ),
  listProposals: get<{ proposals?: network.Proposal[] }>('listproposals'),
  getProposalById: find<{ id: number }, network.Proposal>('getproposalbyid'),
  getPaginatedProposalList: read<Page, { proposals?: network.Proposal[] }>(
    'getpaginatedproposallist',
  ),
  getPaginatedExchangeList: read<Page, { exchanges?: network.Exchange[] }>(
    'getpaginatedexchangelist',
  ),

  /** Coins, in sun. */
  createTransaction: build<Owner & { to_address: wire.HexAddress; amount: wire.Int64 }>(
    'createtransaction',
  ),
  /** Tokens; `asset_name` is hex of the ASCII token id. */
  transferAsset: build<
    Owner & { to_address: wire.HexAddress; asset_name: wire.Hex; amount: wire.Int64 }
  >('transferasset'),
  triggerSmartContract: build<request.SmartContractCallRequest, account.ContractCall>(
    'triggersmartcontract',
  ),
  deployContract: build<request.DeployRequest>('deploycontract'),
  updateSetting: build<
    Owner & { contract_address: wire.HexAddress; consume_user_resource_percent: number }
  >('updatesetting'),
  updateEnergyLimit: build<
    Owner & { contract_address: wire.HexAddress; origin_energy_limit: wire.Int64 }
  >('updateenergylimit'),
  clearAbi: build<Owner & { contract_address: wire.HexAddress }>('clearabi'),

  createAccount: build<Owner & { account_address: wire.HexAddress }>('createaccount'),
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
        receiver_address?: wire.HexAddress
      }
  >('freezebalance'),
  unfreezeBalance: build<Owner & request.ResourceRequest & { receiver_address?: wire.HexAddress }>(
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
        receiver_address: wire.HexAddress
        balance: wire.Int64
        lock?: boolean
        lock_period?: number
      }
  >('delegateresource'),
  unDelegateResource: build<
    Owner & request.ResourceRequest & { receiver_address: wire.HexAddress; balance: wire.Int64 }
  >('undelegateresource'),

  createWitness: build<Owner & { url: wire.Hex }>('createwitness'),
  updateWitness: build<Owner & { update_url: wire.Hex }>('updatewitness'),
  updateBrokerage: build<Owner & { brokerage: number }>('updateBrokerage'),
  voteWitnessAccount: build<
    Owner & { votes: { vote_address: wire.HexAddress; vote_count: wire.Int64 }[] }
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
    Owner & { to_address: wire.HexAddress; asset_name: wire.Hex; amount: wire.Int64 }
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

type Table = Record<string, Operation<unknown, unknown>>

/** The calls of a table of operations: `(request, options)`, or `(options)`-last without a request. */
export type Calls<table extends Table> = {
  readonly [name in keyof table]: table[name] extends Operation<infer input, infer output>
    ? [input] extends [undefined]
      ? (request?: undefined, options?: CallOptions) => Promise<output>
      : (request: input, options?: CallOptions) => Promise<output>
    : never
}

export type CallOptions = {
  /** Ends this caller's interest. The call itself ends when nobody else waits for the same answer. */
  signal?: AbortSignal | undefined
}

export type SolidityOperations = Calls<typeof sharedOperations>
export type WalletOperations = Calls<typeof sharedOperations & typeof walletOperations>
