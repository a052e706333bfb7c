import { expect, expectTypeOf, test } from 'vitest'

import { nativeRecording } from '../../../test/support/recording.ts'
import type { NativeClient } from '../client.ts'
import { sharedOperations, walletOperations } from './operations.ts'
import type { Block } from './types.ts'

/** Every operation that the specification of the interface names, for `/wallet`. */
const NAMED = `BroadcastTransaction GetNowBlock GetBlockByLatestNum GetTransactionById GetNodeInfo GetAccountResource
  TriggerConstantContract TriggerSmartContract EstimateEnergy UpdateSetting AccountPermissionUpdate ProposalCreate
  ValidateAddress BroadcastHex CreateTransaction CreateAccount GetAccount UpdateAccount GetAccountBalance GetAccountNet
  FreezeBalance UnfreezeBalanceV2 CancelAllUnfreezeV2 DelegateResource UnDelegateResource WithdrawExpireUnfreeze
  GetAvailableUnfreezeCount GetCanWithdrawUnfreezeAmount GetCanDelegatedMaxSize GetDelegatedResourceV2
  GetDelegatedResourceAccountIndexV2 GetBlock GetBlockByNum GetBlockById GetBlockByLimitNext GetTransactionInfoById
  GetTransactionInfoByBlockNum ListNodes GetChainParameters GetBlockBalance GetEnergyPrices GetBandwidthPrices
  GetBurnNative GetApprovedList GetContract GetContractInfo DeployContract UpdateEnergyLimit ClearAbi ListWitnesses
  CreateWitness UpdateWitness GetBrokerage UpdateBrokerage VoteWitnessAccount GetReward WithdrawBalance
  GetNextMaintenanceTime ListProposals GetProposalById ProposalApprove ProposalDelete GetTransactionListFromPending
  GetTransactionFromPending GetPendingSize`

/** The same for `/walletsolidity`. */
const NAMED_SOLIDITY = `GetBlock GetNowBlock GetTransactionById GetTransactionInfoById GetTransactionInfoByBlockNum
  GetTransactionCountByBlockNum GetBlockByNum GetBlockById GetBlockByLatestNum GetBlockByLimitNext GetAccount
  GetDelegatedResource GetDelegatedResourceAccountIndex GetCanDelegatedMaxSize GetCanWithdrawUnfreezeAmount
  GetDelegatedResourceAccountIndexV2 GetAvailableUnfreezeCount GetNodeInfo GetBurnNative TriggerConstantContract
  EstimateEnergy ListWitnesses GetReward GetBrokerage`

const names = (text: string) =>
  text.split(/\s+/).map((name) => name.charAt(0).toLowerCase() + name.slice(1))

test('every operation that the specification names is here', () => {
  const wallet = Object.keys({ ...sharedOperations, ...walletOperations })
  expect(wallet).toEqual(expect.arrayContaining(names(NAMED)))
  expect(Object.keys(sharedOperations)).toEqual(expect.arrayContaining(names(NAMED_SOLIDITY)))
})

test('the recorded node knows the path of every operation on its prefixes', () => {
  const { answers, requests } = nativeRecording()
  const statuses = (path: string) =>
    Object.values(requests[path] ?? {}).map((index) => answers.at(index)?.[0])
  // The recorded node is of release 4.8.0, and its recording has no request with a whole transaction for the second one.
  const isMissing = (path: string) =>
    /\/(?:getpaginatednowwitnesslist|createCommonTransaction)$/.test(path)
  const unknown = (path: string) => !isMissing(path) && !statuses(path).includes(200)
  const paths = [
    ...Object.values(sharedOperations).flatMap(({ path }) => [
      `/wallet/${path}`,
      `/walletsolidity/${path}`,
    ]),
    ...Object.values(walletOperations).map(({ path }) => `/wallet/${path}`),
  ]
  expect(paths.filter(unknown)).toEqual([])
})

test('types: a request is required where the operation has one, and absent answers show', () => {
  expectTypeOf<NativeClient['wallet']['getBlock']>().returns.resolves.toEqualTypeOf<
    Block | undefined
  >()
  expectTypeOf<NativeClient['wallet']['getNowBlock']>().returns.resolves.toEqualTypeOf<Block>()
  expectTypeOf<NativeClient['wallet']['getBlockByNum']>()
    .parameter(0)
    .toEqualTypeOf<{ num: number }>()
  expectTypeOf<NativeClient['solidity']>().not.toHaveProperty('getContract')
})
