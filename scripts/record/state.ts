import { encodeAbiParameters, encodeFunctionData, type Abi } from 'viem'

import { artifacts, keys, labels } from '../../test/support/recordedChain.ts'
import type { Walked } from './chain.ts'
import { eachOf, type Recorder } from './recorder.ts'

/** An address that the chain has never seen. */
const STRANGER = `41${'dead'.padStart(40, '0')}`
const ZERO = `41${'0'.repeat(40)}`

/** A constant call that is recorded, for the native interface and for the node's own JSON-RPC. */
export type SampleCall = { owner: string; to?: string; data: string; value?: number }

/** Accounts, resources, contracts and balances at every height. */
export async function recordAccounts(recorder: Recorder, walked: Walked): Promise<void> {
  const named = [...Object.values(keys).map(({ hex }) => hex), ...contractAddresses()]
  await eachOf([...walked.addresses, STRANGER, ZERO, ...named], async (address) => {
    await recorder.both('getaccount', { address })
    await recorder.ask('/wallet/getaccountresource', { address })
    await recorder.ask('/wallet/getaccountnet', { address })
    await recorder.ask('/wallet/getcontract', { value: address })
    await recorder.ask('/wallet/getcontractinfo', { value: address })
  })
  await eachOf([...named, STRANGER, ZERO], async (address) => {
    await recorder.both('getReward', { address })
    await recorder.both('getBrokerage', { address })
    await recorder.both('getdelegatedresourceaccountindex', { value: address })
    await recorder.both('getdelegatedresourceaccountindexv2', { value: address })
    await recorder.both('getavailableunfreezecount', { owner_address: address })
    await recorder.both('getcanwithdrawunfreezeamount', { owner_address: address })
    await recorder.both('getcanwithdrawunfreezeamount', {
      owner_address: address,
      timestamp: 1_900_000_000_000,
    })
    for (const type of [0, 1])
      await recorder.both('getcandelegatedmaxsize', { owner_address: address, type })
    await recorder.ask('/wallet/getassetissuebyaccount', { address })
    await recorder.ask('/wallet/validateaddress', { address })
    for (const block of walked.blocks)
      await recorder.ask('/wallet/getaccountbalance', {
        account_identifier: { address },
        block_identifier: {
          hash: block.blockID,
          number: block.block_header.raw_data.number ?? 0,
        },
      })
  })
  const { alice, bob, rich } = keys
  for (const from of [alice, bob, rich])
    for (const to of [alice, bob, rich])
      for (const name of ['getdelegatedresource', 'getdelegatedresourcev2'])
        await recorder.both(name, { fromAddress: from.hex, toAddress: to.hex })
}

/** The network: parameters, prices, producers, proposals, tokens, pool. */
export async function recordNetwork(recorder: Recorder): Promise<void> {
  for (const name of [
    'getnodeinfo',
    'getburntrx',
    'getenergyprices',
    'getbandwidthprices',
    'listwitnesses',
    'getassetissuelist',
    'listexchanges',
    'getmarketpairlist',
  ]) {
    await recorder.both(name)
    await recorder.ask(`/wallet/${name}`, undefined, { method: 'GET' })
    await recorder.ask(`/walletsolidity/${name}`, undefined, { method: 'GET' })
  }
  for (const name of [
    'getchainparameters',
    'getmemofee',
    'getnextmaintenancetime',
    'listnodes',
    'listproposals',
    'gettransactionlistfrompending',
    'getpendingsize',
    'totaltransaction',
  ]) {
    await recorder.ask(`/wallet/${name}`)
    await recorder.ask(`/wallet/${name}`, undefined, { method: 'GET' })
  }
  for (const id of [1, 2, 3]) await recorder.ask('/wallet/getproposalbyid', { id })
  for (const id of [1, 2]) await recorder.both('getexchangebyid', { id })
  for (const value of [labels.tokenId, '1000009', 'x'])
    await recorder.both('getassetissuebyid', { value })
  const name = Buffer.from('MyTok').toString('hex')
  await recorder.both('getassetissuebyname', { value: name })
  await recorder.both('getassetissuelistbyname', { value: name })
  const pair = { sell_token_id: Buffer.from(labels.tokenId).toString('hex'), buy_token_id: '5f' }
  await recorder.both('getmarketpricebypair', pair)
  await recorder.both('getmarketorderlistbypair', pair)
  await recorder.both('getmarketorderbyaccount', { value: keys.alice.hex })
  await recorder.both('getmarketorderbyid', { value: '00'.repeat(32) })
  await recorder.both('getaccountbyid', { account_id: Buffer.from('bobbob12').toString('hex') })
  await recorder.both('getpaginatedassetissuelist', { offset: 0, limit: 10 })
  await recorder.ask('/wallet/getpaginatedproposallist', { offset: 0, limit: 10 })
  await recorder.ask('/wallet/getpaginatedexchangelist', { offset: 0, limit: 10 })
}

/** Calls and estimates: every function, every kind of failure, simulated deployments. */
export async function recordCalls(recorder: Recorder): Promise<SampleCall[]> {
  const calls = sampleCalls()
  await eachOf(calls, async ({ owner, to, data, value }) => {
    const body = {
      owner_address: owner,
      ...(to === undefined ? {} : { contract_address: to }),
      data,
      ...(value === undefined ? {} : { call_value: value }),
    }
    await recorder.both('triggerconstantcontract', body)
    await recorder.both('estimateenergy', body)
  })
  const { alice } = keys
  const token = labels.contracts.Token.address
  await recorder.both('triggerconstantcontract', {
    owner_address: alice.hex,
    contract_address: token,
    function_selector: 'balanceOf(address)',
    parameter: alice.hex.slice(2).padStart(64, '0'),
  })
  return calls
}

function sampleCalls(): SampleCall[] {
  const { alice, bob, carol, rich } = keys
  const { Kitchen, Token, Multicall3Lite } = labels.contracts
  const kitchen = (name: string, args: unknown[] = []) => encode(artifacts.Kitchen.abi, name, args)
  const token = (name: string, args: unknown[] = []) => encode(artifacts.Token.abi, name, args)
  const everyone = [alice, bob, carol, rich].map(({ eth }) => eth)
  const reads = [
    ...['name', 'symbol', 'decimals', 'totalSupply'].map((name) => token(name)),
    ...everyone.map((who) => token('balanceOf', [who])),
    ...everyone.map((who) => token('allowance', [alice.eth, who])),
    token('transfer', [bob.eth, 1n]),
    token('transfer', [bob.eth, 10n ** 30n]),
    token('transferFrom', [alice.eth, bob.eth, 10n ** 30n]),
    'deadbeef',
    '',
  ].map((data) => ({ to: Token.address, data }))
  const cooking = [
    ...['n', 's', 'env', 'rString', 'rCustom', 'rPanic', 'rEmpty', 'rRaw', 'invalid', 'burn'].map(
      (name) => kitchen(name),
    ),
    kitchen('arr', [0n]),
    kitchen('rDiv', [0n]),
    kitchen('rDiv', [1n]),
    kitchen('set', [1n]),
    kitchen('events', [3n]),
    kitchen('log0'),
    kitchen('make', [1n]),
    kitchen('make2', [1n, `0x${'77'.repeat(32)}`]),
    kitchen('tryFail', [`0x${Kitchen.address.slice(2)}`]),
    kitchen('sendTo', [alice.eth, 10n ** 18n]),
    kitchen('pay'),
    ...everyone.map((who) => kitchen('bal', [who])),
    'deadbeef',
  ].map((data) => ({ to: Kitchen.address, data }))
  const deployments = [
    artifacts.Kitchen.bytecode,
    artifacts.BadCtor.bytecode,
    `${artifacts.Token.bytecode}${word(1_000_000n)}`,
    `${artifacts.Child.bytecode}${word(7n)}`,
    'fe',
    // What a capability probe runs.
    '60006000f3',
    ...Object.values(labels.contracts).map(({ address }) => codeReader(address)),
    ...[alice, bob, carol, rich].map(({ hex }) => balanceReader(hex)),
    balanceReader(STRANGER),
  ].map((data) => ({ data }))
  const aggregate = encode(artifacts.Multicall3Lite.abi, 'agg', [
    [
      { t: `0x${Token.address.slice(2)}`, d: `0x${token('symbol')}` },
      { t: `0x${Kitchen.address.slice(2)}`, d: `0x${kitchen('rString')}` },
    ],
  ])
  const plain = [
    ...reads,
    ...cooking,
    ...deployments,
    { to: Multicall3Lite.address, data: aggregate },
  ]
  return [
    ...plain.map((call) => ({ ...call, owner: ZERO })),
    ...plain.map((call) => ({ ...call, owner: bob.hex })),
    { owner: bob.hex, to: Kitchen.address, data: kitchen('pay'), value: 1_000_000 },
    { owner: bob.hex, to: Kitchen.address, data: kitchen('n'), value: 5 },
    { owner: bob.hex, to: Kitchen.address, data: kitchen('pay'), value: 9e15 },
    { owner: STRANGER, to: Kitchen.address, data: kitchen('pay'), value: 1 },
    { owner: bob.hex, to: alice.hex, data: '' },
    { owner: bob.hex, to: alice.hex, data: '00' },
    { owner: ZERO, to: alice.hex, data: '00' },
    { owner: ZERO, to: STRANGER, data: '00' },
    { owner: bob.hex, to: STRANGER, data: '00', value: 1 },
  ]
}

/** Creation code that returns the code of an account: EXTCODECOPY of all of it. */
function codeReader(address: string): string {
  const push = `73${address.slice(2)}`
  return `${push}3b8060006000${push}3c6000f3`
}

/** Creation code that returns the balance of an account as one word. */
function balanceReader(address: string): string {
  return `73${address.slice(2)}3160005260206000f3`
}

function contractAddresses(): string[] {
  return Object.values(labels.contracts).map(({ address }) => address)
}

function encode(abi: Abi, functionName: string, args: unknown[]): string {
  return encodeFunctionData({ abi, functionName, args }).slice(2)
}

function word(value: bigint): string {
  return encodeAbiParameters([{ type: 'uint256' }], [value]).slice(2)
}
