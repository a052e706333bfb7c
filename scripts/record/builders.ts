import { artifacts, keys, labels } from '../../test/support/recordedChain.ts'
import type { Recorder } from './recorder.ts'

/** Builders, with good requests and with the refusals that matter. Nothing of this changes the chain. */
export async function recordBuilders(recorder: Recorder): Promise<void> {
  const { alice, bob, carol, dave, rich, sr1 } = keys
  const { Kitchen, Token } = labels.contracts
  const owner_address = bob.hex
  const contract_address = Kitchen.address
  const token = Buffer.from(labels.tokenId).toString('hex')
  const call = { owner_address, contract_address, data: '4ed3885e', fee_limit: 100_000_000 }
  const owner = {
    type: 0,
    permission_name: 'owner',
    threshold: 1,
    keys: [{ address: alice.hex, weight: 1 }],
  }
  const active = {
    ...owner,
    type: 2,
    permission_name: 'active0',
    operations: `7fff1fc0033e${'0'.repeat(52)}`,
  }
  const requests: [name: string, ...bodies: object[]][] = [
    [
      'createtransaction',
      { owner_address, to_address: alice.hex, amount: 1_000_000 },
      { owner_address, to_address: alice.hex, amount: 1, extra_data: '6d656d6f', Permission_id: 2 },
      { owner_address: bob.base58, to_address: alice.base58, amount: 1, visible: true },
      { owner_address, to_address: owner_address, amount: 1 },
      { owner_address, to_address: alice.hex },
      { owner_address, to_address: alice.hex, amount: -1 },
      { owner_address, to_address: contract_address, amount: 1 },
      { owner_address, to_address: alice.hex, amount: 9e15 },
      { owner_address: dave.hex, to_address: alice.hex, amount: 1 },
      { owner_address: carol.hex, to_address: alice.hex, amount: 1 },
      {},
    ],
    [
      'transferasset',
      { owner_address: alice.hex, to_address: owner_address, asset_name: token, amount: 5 },
      { owner_address: rich.hex, to_address: owner_address, asset_name: token, amount: 5 },
      { owner_address: alice.hex, to_address: owner_address, asset_name: '31', amount: 5 },
    ],
    [
      'triggersmartcontract',
      {},
      {
        ...call,
        data: undefined,
        function_selector: 'set(uint256)',
        parameter: '5'.padStart(64, '0'),
      },
      { ...call, data: `60fe47b1${'9'.padStart(64, '0')}` },
      { ...call, data: '2e52d606' },
      { ...call, call_value: 5, Permission_id: 2 },
      { ...call, contract_address: alice.hex },
      { ...call, contract_address: undefined },
      { ...call, fee_limit: 2_000_000_000 },
      {
        ...call,
        contract_address: Token.address,
        data: `70a08231${alice.hex.slice(2).padStart(64, '0')}`,
      },
    ],
    [
      'deploycontract',
      {
        owner_address,
        abi: JSON.stringify(artifacts.Child.abi),
        bytecode: artifacts.Child.bytecode,
        parameter: '7'.padStart(64, '0'),
        name: 'Child',
        consume_user_resource_percent: 100,
        origin_energy_limit: 10_000_000,
        fee_limit: 100_000_000,
      },
      { owner_address, abi: '[]', bytecode: artifacts.BadCtor.bytecode, fee_limit: 1 },
      { owner_address, bytecode: artifacts.BadCtor.bytecode },
      { owner_address, abi: 'x', bytecode: 'zz' },
    ],
    [
      'createaccount',
      { owner_address, account_address: `41${'77'.repeat(20)}` },
      { owner_address, account_address: alice.hex },
    ],
    ['updateaccount', { owner_address, account_name: '626f62' }],
    [
      'setaccountid',
      { owner_address, account_id: Buffer.from('bobbob12').toString('hex') },
      { owner_address, account_id: '61' },
    ],
    [
      'accountpermissionupdate',
      { owner_address: alice.hex, owner, actives: [active] },
      { owner_address: alice.hex, owner, actives: [] },
    ],
    [
      'freezebalance',
      { owner_address, frozen_balance: 1_000_000, frozen_duration: 3, resource: 'ENERGY' },
    ],
    ['unfreezebalance', { owner_address, resource: 'ENERGY' }],
    [
      'freezebalancev2',
      { owner_address, frozen_balance: 1_000_000, resource: 'ENERGY' },
      { owner_address, frozen_balance: 1 },
    ],
    [
      'unfreezebalancev2',
      { owner_address, unfreeze_balance: 1_000_000, resource: 'BANDWIDTH' },
      { owner_address, unfreeze_balance: 1_000_000, resource: 'ENERGY' },
    ],
    ['cancelallunfreezev2', { owner_address: alice.hex }, { owner_address }],
    ['withdrawexpireunfreeze', { owner_address: alice.hex }, { owner_address }],
    [
      'delegateresource',
      {
        owner_address: alice.hex,
        receiver_address: owner_address,
        balance: 1_000_000,
        resource: 'ENERGY',
      },
      { owner_address, receiver_address: alice.hex, balance: 9e15 },
    ],
    [
      'undelegateresource',
      {
        owner_address: alice.hex,
        receiver_address: owner_address,
        balance: 1_000_000,
        resource: 'ENERGY',
      },
    ],
    ['createwitness', { owner_address: alice.hex, url: '687474703a2f2f61' }],
    [
      'updatewitness',
      { owner_address: sr1.hex, update_url: '687474703a2f2f61' },
      { owner_address, update_url: '61' },
    ],
    [
      'updateBrokerage',
      { owner_address: sr1.hex, brokerage: 20 },
      { owner_address, brokerage: 20 },
    ],
    [
      'votewitnessaccount',
      { owner_address: alice.hex, votes: [{ vote_address: sr1.hex, vote_count: 1 }] },
      { owner_address: dave.hex, votes: [{ vote_address: sr1.hex, vote_count: 1 }] },
    ],
    ['withdrawbalance', { owner_address: sr1.hex }, { owner_address }],
    [
      'proposalcreate',
      { owner_address: sr1.hex, parameters: [{ key: 11, value: 420 }] },
      { owner_address, parameters: [{ key: 11, value: 420 }] },
      { owner_address: sr1.hex, parameters: { key: 11, value: 420 } },
    ],
    ['proposalapprove', { owner_address: sr1.hex, proposal_id: 2, is_add_approval: true }],
    ['proposaldelete', { owner_address: sr1.hex, proposal_id: 2 }],
    [
      'createassetissue',
      {
        owner_address: bob.hex,
        name: '4269',
        abbr: '4269',
        total_supply: 1000,
        trx_num: 1,
        num: 1,
        start_time: 1_795_362_115_000,
        end_time: 1_795_462_115_000,
        description: '61',
        url: '61',
        precision: 2,
      },
    ],
    [
      'participateassetissue',
      { owner_address, to_address: alice.hex, asset_name: token, amount: 1 },
    ],
    ['unfreezeasset', { owner_address: alice.hex }],
    [
      'updateasset',
      { owner_address: alice.hex, description: '61', url: '61', new_limit: 1, new_public_limit: 1 },
    ],
    [
      'updatesetting',
      { owner_address, contract_address, consume_user_resource_percent: 50 },
      { owner_address: carol.hex, contract_address, consume_user_resource_percent: 50 },
    ],
    ['updateenergylimit', { owner_address, contract_address, origin_energy_limit: 5 }],
    ['clearabi', { owner_address, contract_address }],
    [
      'exchangecreate',
      {
        owner_address: alice.hex,
        first_token_id: token,
        first_token_balance: 10,
        second_token_id: '5f',
        second_token_balance: 10,
      },
    ],
    ['exchangeinject', { owner_address: alice.hex, exchange_id: 1, token_id: '5f', quant: 1000 }],
    ['exchangewithdraw', { owner_address: alice.hex, exchange_id: 1, token_id: '5f', quant: 1000 }],
    [
      'exchangetransaction',
      { owner_address: alice.hex, exchange_id: 1, token_id: '5f', quant: 100, expected: 1 },
    ],
    [
      'marketsellasset',
      {
        owner_address: alice.hex,
        sell_token_id: token,
        sell_token_quantity: 1,
        buy_token_id: '5f',
        buy_token_quantity: 1,
      },
    ],
    ['marketcancelorder', { owner_address: alice.hex, order_id: '00' }],
  ]
  for (const [name, ...bodies] of requests)
    for (const body of bodies) await recorder.ask(`/wallet/${name}`, body)
}
