import { jsx } from 'hono/jsx'
import { expect, test } from 'vitest'

import { keys } from '../../../../test/support/recordedChain.ts'
import { contractSchemas } from '../../../native/protobuf/contracts.ts'
import { rawDataFromJson, rawDataToJson } from '../../../native/protobuf/transaction.ts'
import type { Transaction } from '../../../native/wire/types.ts'
import { type NativeValue, rowOf } from '../reads/row.ts'
import type { Source } from '../reads/source.ts'
import type { TransactionFacts } from '../reads/transaction.ts'
import { Sentence } from './sentence.tsx'

const { alice, bob, dave, sr1 } = keys
const hex = (text: string) => Buffer.from(text).toString('hex')
const TOKEN = { id: '1000001', name: 'MyTok', decimals: 6 }
const COIN = hex('_')
const token = hex(TOKEN.id)

/** The parts of a source that a row reads. */
const source = {
  contract: async () => ({ abi: [], name: undefined }),
  nativeToken: async () => TOKEN,
  token: async () => undefined,
} as unknown as Source

/** The sentence of a transaction of alice. Its fields pass through the bytes of the wire, so their names are real. */
async function sentenceOf(
  type: string,
  fields: NativeValue,
  info: TransactionFacts['info'],
): Promise<string> {
  const contract = { type, parameter: { value: fields, type_url: `type/protocol.${type}` } }
  const given = { contract: [contract] } as unknown as Transaction['raw_data']
  const transaction = {
    txID: '0'.repeat(64),
    raw_data: rawDataToJson(rawDataFromJson(given)),
    ret: [{ contractRet: 'SUCCESS' }],
  } as unknown as Transaction
  const place = { block: 1, time: 1 }
  const facts = {
    row: await rowOf(transaction, place, source),
    type,
    value: transaction.raw_data.contract?.[0]?.parameter?.value as unknown as NativeValue,
    info,
    call: undefined,
    names: new Map([alice, bob, dave, sr1].map(({ eth }) => [eth.toLowerCase(), nameOf(eth)])),
    tokens: new Map(),
    nativeTokens: new Map([[TOKEN.id, TOKEN]]),
    transfers: [],
  } as unknown as TransactionFacts
  const html = await jsx(Sentence, { facts }).toString()
  const marked = html.replaceAll(/<span class="quiet">“([^”]*)”<\/span>/g, '«$1»')
  const text = marked.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
  // An address in both formats stands before its name.
  return text.replaceAll(/(?:0x\w{4}…\w{8}…\w{4} )?«([^»]*)»/g, '$1')
}

function nameOf(address: string): string {
  return Object.entries(keys).find(([, { eth }]) => eth === address)?.[0] ?? ''
}

const owner = { owner_address: alice.hex }
const key = (address: string) => ({ address, weight: 1 })

const CASES: Record<keyof typeof contractSchemas, [NativeValue, string]> = {
  AccountCreateContract: [{ ...owner, account_address: bob.hex }, 'created the account bob'],
  AccountPermissionUpdateContract: [
    {
      ...owner,
      owner: { permission_name: 'owner', threshold: 1, keys: [key(alice.hex)] },
      witness: { type: 'Witness', permission_name: '', threshold: 1, keys: [key(bob.hex)] },
      actives: [{ type: 'Active', threshold: 2, keys: [key(bob.hex), key(dave.hex)] }],
    },
    'changed its permissions to owner (1 key, threshold 1), witness (1 key, threshold 1), active (2 keys, threshold 2)',
  ],
  AccountUpdateContract: [
    { ...owner, account_name: hex('Al <b>') },
    'named its account “Al &lt;b&gt;”',
  ],
  AssetIssueContract: [
    { ...owner, name: hex('Coupon'), total_supply: 123_456, precision: 2 },
    'issued the token “Coupon” with a supply of 1,234.56',
  ],
  CancelAllUnfreezeV2Contract: [owner, 'cancelled all unstaking and staked the coins again'],
  ClearABIContract: [
    { ...owner, contract_address: dave.hex },
    'removed the ABI of dave from the chain',
  ],
  CreateSmartContract: [
    { ...owner, new_contract: { origin_address: alice.hex, call_value: 1_500_000 } },
    'deployed a contract with 1.5 coins',
  ],
  DelegateResourceContract: [
    {
      ...owner,
      balance: 5_000_000,
      resource: 'ENERGY',
      receiver_address: bob.hex,
      lock: true,
      lock_period: 28_800,
    },
    'delegated the energy of 5 coins to bob, locked for 28,800 blocks',
  ],
  ExchangeCreateContract: [
    {
      ...owner,
      first_token_id: token,
      first_token_balance: 2_000_000,
      second_token_id: COIN,
      second_token_balance: 7_000_000,
    },
    'created an exchange of 2 MyTok and 7 coins',
  ],
  ExchangeInjectContract: [
    { ...owner, exchange_id: 3, token_id: token, quant: 1_000_000 },
    'added 1 MyTok to exchange 3',
  ],
  ExchangeTransactionContract: [
    { ...owner, exchange_id: 3, token_id: COIN, quant: 2_000_000, expected: 40 },
    'sold 2 coins on exchange 3 for at least 40 units',
  ],
  ExchangeWithdrawContract: [
    { ...owner, exchange_id: 3, token_id: COIN, quant: 1 },
    'withdrew 0.000001 coins from exchange 3',
  ],
  FreezeBalanceContract: [
    { ...owner, frozen_balance: 9_000_000, frozen_duration: 3, receiver_address: bob.hex },
    'staked 9 coins for bandwidth for 3 days in favour of bob',
  ],
  FreezeBalanceV2Contract: [
    { ...owner, frozen_balance: 100_000_000, resource: 'TRON_POWER' },
    'staked 100 coins for voting power',
  ],
  MarketCancelOrderContract: [
    { ...owner, order_id: 'ab'.repeat(32) },
    'cancelled the market order abab…abab',
  ],
  MarketSellAssetContract: [
    {
      ...owner,
      sell_token_id: token,
      sell_token_quantity: 5_000_000,
      buy_token_id: COIN,
      buy_token_quantity: 1_000_000,
    },
    'offered 5 MyTok for 1 coin',
  ],
  ParticipateAssetIssueContract: [
    { ...owner, to_address: bob.hex, asset_name: token, amount: 3_000_000 },
    'bought MyTok for 3 coins from bob',
  ],
  ProposalApproveContract: [
    { ...owner, proposal_id: 2, is_add_approval: true },
    'approved proposal 2',
  ],
  ProposalCreateContract: [
    {
      ...owner,
      parameters: [
        { key: 11, value: 210 },
        { key: 99, value: 1 },
      ],
    },
    'proposed to change the energy price (parameter 11) to 210, parameter 99 to 1',
  ],
  ProposalDeleteContract: [{ ...owner, proposal_id: 2 }, 'deleted proposal 2'],
  SetAccountIdContract: [
    { ...owner, account_id: hex('alice-01') },
    'set the id of its account to “alice-01”',
  ],
  ShieldedTransferContract: [
    { transparent_from_address: alice.hex, from_amount: 20_000_000 },
    'made a shielded transfer',
  ],
  TransferAssetContract: [
    { ...owner, asset_name: token, to_address: bob.hex, amount: 777 },
    'transferred 0.000777 MyTok to bob',
  ],
  TransferContract: [
    { ...owner, to_address: bob.hex, amount: 9_007_199_254_740_993n },
    'transferred 9,007,199,254.740993 coins to bob',
  ],
  TriggerSmartContract: [
    {
      ...owner,
      contract_address: dave.hex,
      data: '12345678',
      call_value: 5,
      call_token_value: 77,
      token_id: 1_000_001,
    },
    'called 0x12345678 of dave with 0.000005 coins with 0.000077 MyTok',
  ],
  UnDelegateResourceContract: [
    { ...owner, balance: 5_000_000, receiver_address: bob.hex },
    'ended the delegation of bandwidth of 5 coins to bob',
  ],
  UnfreezeAssetContract: [owner, 'released the frozen supply of its token'],
  UnfreezeBalanceContract: [
    { ...owner, resource: 'ENERGY', receiver_address: bob.hex },
    'unstaked 8 coins staked for energy in favour of bob',
  ],
  UnfreezeBalanceV2Contract: [
    { ...owner, unfreeze_balance: 1_000_000, resource: 'ENERGY' },
    'unstaked 1 coin from energy',
  ],
  UpdateAssetContract: [
    { ...owner, description: hex('new'), url: hex('http://a') },
    'changed the description and limits of its token',
  ],
  UpdateBrokerageContract: [{ ...owner, brokerage: 20 }, 'set its brokerage to 20 %'],
  UpdateEnergyLimitContract: [
    { ...owner, contract_address: dave.hex, origin_energy_limit: 50_000 },
    'set the energy that dave pays for its callers to 50,000 a call',
  ],
  UpdateSettingContract: [
    { ...owner, contract_address: dave.hex, consume_user_resource_percent: 30 },
    'set the share of energy that callers of dave pay to 30 %',
  ],
  VoteAssetContract: [{ ...owner, vote_address: [bob.hex], count: 1 }, 'voted with a token'],
  VoteWitnessContract: [
    {
      ...owner,
      votes: [
        { vote_address: sr1.hex, vote_count: 60 },
        { vote_address: bob.hex, vote_count: 1 },
      ],
    },
    'voted 60 for sr1, 1 for bob',
  ],
  WithdrawBalanceContract: [owner, 'withdrew 8 coins of rewards'],
  WithdrawExpireUnfreezeContract: [owner, 'withdrew 8 coins that had been unstaked'],
  WitnessCreateContract: [
    { ...owner, url: hex('http://sr.example') },
    'applied as a block producer with the website http://sr.example',
  ],
  WitnessUpdateContract: [
    { ...owner, update_url: hex('http://sr.example') },
    'changed its website as a block producer to http://sr.example',
  ],
}

/** What the node says about a transaction that pays out coins. */
const PAID = {
  unfreeze_amount: 8_000_000,
  withdraw_amount: 8_000_000,
  withdraw_expire_amount: 8_000_000,
} as unknown as TransactionFacts['info']

test.each(Object.keys(contractSchemas) as (keyof typeof contractSchemas)[])(
  'default: %s in words, with its content',
  async (type) => {
    const [fields, expected] = CASES[type]
    expect(await sentenceOf(type, fields, PAID)).toBe(`alice ${expected}`)
  },
)

test('behavior: a type that is not known keeps its native name', async () => {
  const type = 'FutureContract'
  const facts = {
    row: { from: alice.eth, status: 'success' },
    type,
    value: {},
    names: new Map(),
  } as unknown as TransactionFacts
  const html = await jsx(Sentence, { facts }).toString()
  expect(html).toContain('ran Future')
})
