import { describe, expect, test } from 'vitest'

import type { TransactionInfo } from '../native/wire/types.ts'
import { contractMeaning } from './contract.ts'

const one = '41dd791d6b49e190062d650e6a23c575510d35f2f9'
const two = '41eca9bc828a3005b9a3b909f2cc5c2a54794de05f'
const oneRpc = '0xdd791d6b49e190062d650e6a23c575510d35f2f9'

const info: TransactionInfo = {
  id: '',
  cancel_unfreezeV2_amount: [
    { key: 'BANDWIDTH', value: 1 },
    { key: 'ENERGY', value: 9007199254740993n },
    { key: 'TRON_POWER', value: 2 },
  ],
  unfreeze_amount: 11,
  withdraw_amount: 12,
  withdraw_expire_amount: 13,
}

/** Contract type, its fields, and the expected `to` and `value`. */
const table: [string, Record<string, unknown>, [string | null, bigint]][] = [
  ['AccountCreateContract', { account_address: one }, [oneRpc, 0n]],
  ['TransferContract', { amount: 9007199254740993n, to_address: one }, [oneRpc, 9007199254740993n]],
  ['TransferAssetContract', { amount: 5, asset_name: '31', to_address: one }, [oneRpc, 5n]],
  ['VoteAssetContract', { count: 3, vote_address: [one, two] }, [oneRpc, 0n]],
  [
    'VoteWitnessContract',
    {
      votes: [
        { vote_address: one, vote_count: 3 },
        { vote_address: two, vote_count: 4 },
      ],
    },
    [oneRpc, 7n],
  ],
  ['WitnessCreateContract', { url: '00' }, [null, 9_999_000_000n]],
  ['AssetIssueContract', { total_supply: 5 }, [null, 1_024_000_000n]],
  ['WitnessUpdateContract', {}, [null, 0n]],
  ['AccountUpdateContract', {}, [null, 0n]],
  ['UpdateAssetContract', {}, [null, 0n]],
  ['SetAccountIdContract', {}, [null, 0n]],
  ['ParticipateAssetIssueContract', { amount: 5, to_address: one }, [oneRpc, 0n]],
  ['FreezeBalanceContract', { frozen_balance: 6, receiver_address: one }, [oneRpc, 6n]],
  ['FreezeBalanceContract', { frozen_balance: 6 }, [null, 6n]],
  ['UnfreezeBalanceContract', { receiver_address: one }, [oneRpc, 11n]],
  ['WithdrawBalanceContract', {}, [null, 12n]],
  ['UnfreezeAssetContract', {}, [null, 0n]],
  ['ProposalCreateContract', { parameters: [{ key: 1, value: 2 }] }, [null, 0n]],
  ['ProposalApproveContract', { proposal_id: 1 }, [null, 0n]],
  ['ProposalDeleteContract', { proposal_id: 1 }, [null, 0n]],
  ['CreateSmartContract', { new_contract: { call_value: 1000 } }, [null, 1000n]],
  [
    'TriggerSmartContract',
    { call_token_value: 9, call_value: 8, contract_address: one },
    [oneRpc, 8n],
  ],
  ['UpdateSettingContract', { contract_address: one }, [oneRpc, 0n]],
  ['UpdateEnergyLimitContract', { contract_address: one }, [oneRpc, 0n]],
  ['ClearABIContract', { contract_address: one }, [oneRpc, 0n]],
  ['ExchangeCreateContract', { first_token_balance: 1 }, [null, 1_024_000_000n]],
  ['ExchangeInjectContract', { quant: 21 }, [null, 21n]],
  ['ExchangeWithdrawContract', { quant: 22 }, [null, 22n]],
  ['ExchangeTransactionContract', { quant: 23 }, [null, 23n]],
  ['AccountPermissionUpdateContract', {}, [null, 100_000_000n]],
  ['UpdateBrokerageContract', { brokerage: 20 }, [null, 0n]],
  ['ShieldedTransferContract', { from_amount: 31, transparent_to_address: one }, [oneRpc, 31n]],
  ['ShieldedTransferContract', { to_amount: 32, transparent_to_address: one }, [oneRpc, 32n]],
  ['MarketSellAssetContract', { sell_token_quantity: 5 }, [null, 0n]],
  ['MarketCancelOrderContract', {}, [null, 0n]],
  ['FreezeBalanceV2Contract', { frozen_balance: 5 }, [null, 0n]],
  ['UnfreezeBalanceV2Contract', { unfreeze_balance: 5 }, [null, 11n]],
  ['WithdrawExpireUnfreezeContract', {}, [null, 13n]],
  ['DelegateResourceContract', { balance: 5, receiver_address: one }, [oneRpc, 0n]],
  ['UnDelegateResourceContract', { balance: 5, receiver_address: one }, [oneRpc, 0n]],
  ['CancelAllUnfreezeV2Contract', {}, [null, 9007199254740996n]],
]

describe('contractMeaning', () => {
  test.each(table)('args: %s', (type, value, [to, amount]) => {
    expect(contractMeaning({ parameter: { value }, type }, info)).toEqual({ to, value: amount })
  })

  test('behavior: amounts that only the outcome has are zero without it', () => {
    for (const type of [
      'UnfreezeBalanceV2Contract',
      'WithdrawBalanceContract',
      'CancelAllUnfreezeV2Contract',
    ])
      expect(contractMeaning({ parameter: { value: {} }, type }, undefined).value).toBe(0n)
  })

  test('behavior: unknown types and types without fields have neither', () => {
    const nothing = { to: null, value: 0n }
    expect(contractMeaning({ type: 'SomethingNewContract', parameter: {} }, info)).toEqual(nothing)
    expect(contractMeaning({}, info)).toEqual(nothing)
    for (const [type] of table)
      expect(contractMeaning({ type }, undefined)).toMatchObject({ to: null })
  })
})
