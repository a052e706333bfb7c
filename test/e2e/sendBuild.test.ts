import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { artifacts, keys, labels } from '../support/recordedChain.ts'
import { callRpc, openProducingScene, producing, type Scene, skipReason } from './sendScenes.ts'

const { alice, bob, carol, dave } = keys
const token = `0x${labels.contracts.Token.address.slice(2)}`
const kitchen = `0x${labels.contracts.Kitchen.address.slice(2)}`
const transfer = `0xa9059cbb${dave.eth.slice(2).padStart(64, '0')}${'1'.padStart(64, '0')}`
const asset = { from: alice.eth, to: dave.eth, tokenId: 1_000_001, tokenValue: 5 }
const call = { from: bob.eth, to: token, data: transfer, gas: '0x186a0' }
const creation = { from: bob.eth, data: '0x6001', gas: '0x245498' }
const terms = { consumeUserResourcePercent: 100, originEnergyLimit: 10_000_000 }
const { abi, bytecode } = artifacts.Token

const requests = {
  transfer: { from: carol.eth, to: dave.eth, value: '0x1f4' },
  'transfer with memo and permission': {
    from: `0x${carol.hex}`,
    to: dave.hex,
    value: '0x1f4',
    permissionId: 2,
    extraData: '0x6869',
  },
  'visible transfer': {
    from: carol.eth,
    to: dave.eth,
    value: '0x1',
    visible: true,
    extraData: 'hi',
  },
  'token transfer': asset,
  'visible token transfer': { ...asset, visible: true },
  'token transfer with value 0': { ...asset, value: '0x0' },
  'tokens and a value': { ...asset, value: '0x5' },
  call,
  'visible call': { ...call, visible: true },
  'call of a constant function': { ...call, data: '0x18160ddd' },
  'call with a value and no data': { from: bob.eth, to: kitchen, gas: '0x186a0', value: '0xa' },
  creation: { ...creation, ...terms },
  'creation with interface and name': {
    ...creation,
    ...terms,
    data: `0x${bytecode.replace(/^0x/, '')}${'1'.padStart(64, '0')}`,
    abi: JSON.stringify(abi),
    name: 'Token',
  },
}

type Built = { transaction: Record<string, unknown> & { raw_data: Record<string, unknown> } }

/** Without what differs from one building to the next. */
function lasting({ transaction }: Built) {
  const { contract_address: _c, raw_data, raw_data_hex: _h, txID: _i, ...rest } = transaction
  const {
    expiration: _e,
    ref_block_bytes: _b,
    ref_block_hash: _r,
    timestamp: _t,
    ...raw
  } = raw_data
  return { ...rest, raw_data: raw }
}

if (!producing) process.stderr.write(`${skipReason}\n`)

describe.skipIf(!producing)('buildTransaction beside the node’s own', () => {
  let scene: Scene
  let own: string

  beforeAll(async () => {
    scene = await openProducingScene()
    const url = new URL(scene.node)
    // A node's ports keep their distance: 8090 and 8545.
    url.port = String(Number(url.port) + 455)
    own = `${url.origin}/jsonrpc`
  })
  afterAll(() => scene?.stop())

  test.each(Object.entries(requests))('default: %s', async (_, request) => {
    const ours = (await callRpc(scene.url, 'buildTransaction', [request])) as Built
    const theirs = (await callRpc(own, 'buildTransaction', [request])) as Built
    expect(lasting(ours)).toEqual(lasting(theirs))
  })
})
