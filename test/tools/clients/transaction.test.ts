import { utils } from 'tronweb'
import { expect, test } from 'vitest'

import type { ContractType } from '../../../src/native/protobuf/contracts.ts'
import { rawDataFromJson } from '../../../src/native/protobuf/transaction.ts'
import { rawDataOf, samples } from '../../support/contractSamples.ts'

// An encoder that shares no code with this one; it reads safe integers only.
test.each([
  'TransferContract',
  'TransferAssetContract',
  'VoteWitnessContract',
  'WitnessCreateContract',
  'WitnessUpdateContract',
  'AccountUpdateContract',
  'FreezeBalanceContract',
  'UnfreezeBalanceContract',
  'WithdrawBalanceContract',
  'ProposalApproveContract',
  'ProposalDeleteContract',
  'TriggerSmartContract',
  'UpdateSettingContract',
  'UpdateEnergyLimitContract',
  'ClearABIContract',
  'UpdateBrokerageContract',
  'FreezeBalanceV2Contract',
  'UnfreezeBalanceV2Contract',
  'WithdrawExpireUnfreezeContract',
  'UnDelegateResourceContract',
  'CancelAllUnfreezeV2Contract',
  'ExchangeCreateContract',
  'ExchangeInjectContract',
] as ContractType[])('behavior: %s has the bytes of another encoder', (type) => {
  const safe = JSON.parse(
    JSON.stringify(samples[type], (key, value: unknown) =>
      typeof value === 'bigint' ? 1_234_567 : key === 'support' ? undefined : value,
    ),
  ) as Record<string, unknown>
  const raw = rawDataOf(type, safe)
  const theirs = utils.transaction.txJsonToPb({ raw_data: structuredClone(raw) })
  expect(rawDataFromJson(raw).toString('hex')).toBe(
    utils.transaction.txPbToRawDataHex(theirs).toLowerCase(),
  )
})
