import type { HexAddress } from '../../lib/address.ts'
import type { Call } from '../../lib/call.ts'
import type * as account from './accountTypes.ts'
import {
  type BlockOutline,
  type BlockParties,
  outlinePart,
  outlinesPart,
  partiesPart,
} from './blockOutline.ts'
import { builders } from './builders.ts'
import type * as network from './networkTypes.ts'
import { find, get, list, type Operation, read, send } from './operation.ts'
import type * as request from './requests.ts'
import { codePart, heightPart } from './stateParts.ts'
import { logsPart, outcomeLogsPart, type OutcomeLogs } from './transactionLogs.ts'
import type * as wire from './types.ts'
import { blockPart, blocksPart, type BlockView, outcomesPart, type OutcomeView } from './views.ts'

type Value = { value: wire.Hex }
type Height = { num: number }
type Page = { offset: number; limit: number }

/** Whether a block has the requested height. Nodes omit the number of block 0. */
const isOfHeight = ({ num }: Height, { block_header }: Pick<wire.Block, 'block_header'>) =>
  num === (block_header?.raw_data?.number ?? 0)

/** Whether a block, a transaction or its info has the requested id. An answer without an id passes. */
function isOfId({ value }: Value, { blockID, id, txID }: Ids): boolean {
  const asked = value.toLowerCase().replace(/^0x/, '')
  return asked === (blockID ?? txID ?? id ?? asked)
}

type Ids = { blockID?: wire.Hex; txID?: wire.Hex; id?: wire.Hex }

/** Operations of both `/wallet` and `/walletsolidity`. */
export const sharedOperations = {
  getNowBlock: { ...get<wire.Block>('getnowblock'), method: 'POST' },
  getBlock: find<request.BlockSelector, wire.Block>(
    'getblock',
    ({ id_or_num: selector = '' }, block) =>
      !/^\d{1,20}$/.test(selector) || isOfHeight({ num: Number(selector) }, block),
  ),
  getBlockByNum: find<Height, wire.Block>('getblockbynum', isOfHeight),
  getBlockById: find<Value, wire.Block>('getblockbyid', isOfId),
  /** `startNum` ≤ n < `endNum`, at most 100. */
  getBlockByLimitNext: read<{ startNum: number; endNum: number }, { block?: wire.Block[] }>(
    'getblockbylimitnext',
  ),
  /** 1 to 99 newest, ascending. */
  getBlockByLatestNum: read<{ num: number }, { block?: wire.Block[] }>('getblockbylatestnum'),
  /** On `/wallet` also pending transactions. */
  getTransactionById: find<Value, wire.Transaction>('gettransactionbyid', isOfId),
  getTransactionInfoById: find<Value, wire.TransactionInfo>('gettransactioninfobyid', isOfId),
  /** The height of the block that has a transaction. */
  getTransactionHeight: { ...find<Value, number>('gettransactioninfobyid'), part: heightPart },
  /** In the order of the block; an unknown block has none. */
  getTransactionInfoByBlockNum: list<Height, wire.TransactionInfo>('gettransactioninfobyblocknum'),
  getTransactionCountByBlockNum: read<Height, { count: number }>('gettransactioncountbyblocknum'),
  getAccount: find<{ address: HexAddress }, account.Account>(
    'getaccount',
    ({ address }, account) => address === (account.address ?? address),
  ),
  getAccountById: find<{ account_id: wire.Hex }, account.Account>('getaccountbyid'),
  getDelegatedResource: read<
    { fromAddress: HexAddress; toAddress: HexAddress },
    account.DelegatedResource
  >('getdelegatedresource'),
  getDelegatedResourceV2: read<
    { fromAddress: HexAddress; toAddress: HexAddress },
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
    { owner_address: HexAddress; type: 0 | 1 },
    { max_size?: wire.Int64 }
  >('getcandelegatedmaxsize'),
  getAvailableUnfreezeCount: read<{ owner_address: HexAddress }, { count?: number }>(
    'getavailableunfreezecount',
  ),
  /** Sun; `timestamp` in milliseconds, absent is now. */
  getCanWithdrawUnfreezeAmount: read<
    { owner_address: HexAddress; timestamp?: number },
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
  /** Sorted by votes as of now, which `listWitnesses` has only after a maintenance. From release 4.8.1 on. */
  getPaginatedNowWitnessList: read<Page, network.Witnesses>('getpaginatednowwitnesslist'),
  /** Sun. */
  getReward: read<{ address: HexAddress }, { reward: wire.Int64 }>('getReward'),
  /** Percent. */
  getBrokerage: read<{ address: HexAddress }, { brokerage: number }>('getBrokerage'),
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

/** Operations of `/wallet` only. */
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
  getTransactionFromPending: find<Value, wire.Transaction>('gettransactionfrompending', isOfId),
  getPendingSize: get<{ pendingSize: number }>('getpendingsize'),

  getAccountResource: find<{ address: HexAddress }, account.AccountResource>('getaccountresource'),
  getAccountNet: find<{ address: HexAddress }, account.AccountNet>('getaccountnet'),
  getAccountBalance: read<request.AccountBalanceRequest, account.AccountBalance>(
    'getaccountbalance',
  ),
  getBlockBalance: read<account.BlockIdentifier, account.BlockBalance>('getblockbalance'),
  getContract: find<Value, account.Contract>('getcontract'),
  getContractInfo: find<Value, account.ContractInfo>('getcontractinfo'),
  /** The code that runs when a contract is called. */
  getRuntimeCode: { ...find<Value, wire.Hex>('getcontractinfo'), part: codePart },

  /** Blocks and outcomes that are decoded as far as they are used. */
  getBlockViewByNum: { ...find<Height, BlockView>('getblockbynum'), part: blockPart },
  getBlockViewById: { ...find<Value, BlockView>('getblockbyid'), part: blockPart },
  getBlockViews: {
    ...read<{ startNum: number; endNum: number }, BlockView[]>('getblockbylimitnext'),
    part: blocksPart,
  },
  getOutcomeViewsByBlockNum: {
    ...list<Height, OutcomeView>('gettransactioninfobyblocknum'),
    part: outcomesPart,
  },

  /** Headers of blocks and the ids of their transactions. `startNum` ≤ n < `endNum`, at most 100. */
  getBlockOutlines: {
    ...read<{ startNum: number; endNum: number }, BlockOutline[]>('getblockbylimitnext'),
    part: outlinesPart,
  },
  /** The same, with who each transaction names. */
  getBlockParties: {
    ...read<{ startNum: number; endNum: number }, BlockParties[]>('getblockbylimitnext'),
    part: partiesPart,
  },
  getBlockOutline: {
    ...find<Height, BlockOutline>('getblockbynum'),
    part: outlinePart,
  },
  /** The logs of each transaction of a block, in the order of the block; empty for an unknown block. */
  getTransactionLogsByBlockNum: {
    ...list<Height, OutcomeLogs>('gettransactioninfobyblocknum'),
    part: logsPart,
  },
  /** The logs of one transaction, and the height and time of its block. */
  getTransactionLogsById: {
    ...find<Value, OutcomeLogs>('gettransactioninfobyid'),
    part: outcomeLogsPart,
  },

  listNodes: get<network.Nodes>('listnodes'),
  getChainParameters: get<network.ChainParameters>('getchainparameters'),
  getMemoFee: get<network.PriceHistory>('getmemofee'),
  /** Milliseconds. */
  getNextMaintenanceTime: get<{ num: number }>('getnextmaintenancetime'),
  getTotalTransaction: get<{ num?: wire.Int64 }>('totaltransaction'),
  getAssetIssueByAccount: read<{ address: HexAddress }, { assetIssue?: network.Asset[] }>(
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

  ...builders,
} as const

type Table = Record<string, Operation<unknown, unknown>>

/** The functions for a table of operations: `(request, options)`. Operations without a request take `undefined`. */
export type Calls<table extends Table> = {
  readonly [name in keyof table]: table[name] extends Operation<infer input, infer output>
    ? [input] extends [undefined]
      ? (request?: undefined, options?: CallOptions) => Promise<output>
      : (request: input, options?: CallOptions) => Promise<output>
    : never
}

/**
 * What a call is made for, and options of it. Its signal aborts the wait of this caller. The call itself is aborted when no other caller
 * waits for its answer.
 */
export type CallOptions = Call & {
  /** Whether only the HTTP interface may answer: what gRPC answered did not fit together. */
  overHttp?: boolean | undefined
}

/** The functions for `/walletsolidity`. */
export type SolidityOperations = Calls<typeof sharedOperations>
/** The functions for `/wallet`. */
export type WalletOperations = Calls<typeof sharedOperations & typeof walletOperations>
