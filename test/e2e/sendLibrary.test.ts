import { randomBytes } from 'node:crypto'

import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  addressFromKey,
  BroadcastError,
  type Client,
  createNativeClient,
  type EncodableTransaction,
  encodeTransaction,
  type RawDataJson,
  recoverSigners,
  signTransaction,
} from '../../src/sdk/client.ts'
import { callRpc, fundedKey, producing, type Scene, scenes, skipReason } from './sendScenes.ts'

if (!producing) process.stderr.write(`${skipReason}\n`)

describe.each(scenes)('the native library on %s', (_, open) => {
  let scene: Scene
  let keys: Scene['keys']
  let url: string
  let node: Client

  beforeAll(async () => {
    scene = await open()
    ;({ keys, url } = scene)
    node = createNativeClient(scene.node)
  })
  afterAll(() => scene?.stop())

  const rpc = (method: string, ...params: unknown[]) => callRpc(url, method, params)
  const funded = (amount = 2_000_000_000n) => fundedKey(scene, amount)

  /** The id of an account's own token; issued when there is none yet, because an account may issue one only. */
  async function tokenOf(key: Hex): Promise<string> {
    const owner_address = addressFromKey(key)
    const issued = await node.wallet.getAssetIssueByAccount({ address: owner_address })
    const [known] = issued.assetIssue ?? []
    if (known?.id) return known.id
    const start_time = Date.now() + 60_000
    const unsigned = await node.wallet.createAssetIssue({
      owner_address,
      name: Buffer.from('Token').toString('hex'),
      abbr: Buffer.from('TOK').toString('hex'),
      total_supply: 1_000_000n,
      trx_num: 1,
      num: 1,
      start_time,
      end_time: start_time + 86_400_000,
      url: Buffer.from('http://token.invalid').toString('hex'),
      description: '',
    })
    const id = await node.send(signTransaction(unsigned, key))
    const { assetIssueID = '' } = await node.waitForTransaction(id)
    return assetIssueID
  }

  test('default: a transfer beyond 2^53 sun, there and back', async () => {
    const amount = 9_007_199_254_740_993n
    const rich = addressFromKey(keys.rich)
    const carol = addressFromKey(keys.carol)
    const balance = async () =>
      BigInt((await node.wallet.getAccount({ address: carol }))?.balance ?? 0)
    const before = await balance()
    for (const [from, to, key, expected] of [
      [rich, carol, keys.rich, before + amount],
      [carol, rich, keys.carol, before],
    ] as const) {
      const request = { owner_address: from, to_address: to, amount }
      const unsigned = await node.wallet.createTransaction(request)
      const id = await node.send(signTransaction(unsigned, key))
      expect((await node.waitForTransaction(id)).id).toBe(id)
      expect(await balance()).toBe(expected)
    }
  })

  test('default: native tokens, staking', async () => {
    const owner_address = addressFromKey(keys.alice)
    const to_address = addressFromKey(keys.bob)
    const asset_name = Buffer.from(await tokenOf(keys.alice)).toString('hex')
    const transfer = { owner_address, to_address, asset_name, amount: 7n }
    const sent = await node.send(
      signTransaction(await node.wallet.transferAsset(transfer), keys.alice),
    )
    const freeze = { owner_address, frozen_balance: 1_000_000n, resource: 'ENERGY' } as const
    const frozen = await node.send(
      signTransaction(await node.wallet.freezeBalanceV2(freeze), keys.alice),
    )
    expect((await node.waitForTransaction(sent)).id).toBe(sent)
    expect((await node.waitForTransaction(frozen)).id).toBe(frozen)
  })

  test('default: a permission for two keys, and a transfer that both sign', async () => {
    const key = await funded(200_000_000n)
    const owner_address = addressFromKey(key)
    const pair = [
      { address: addressFromKey(keys.alice), weight: 1 },
      { address: addressFromKey(keys.bob), weight: 1 },
    ]
    const operations = '7fff1fc0033e0000000000000000000000000000000000000000000000000000'
    const update = await node.wallet.accountPermissionUpdate({
      owner_address,
      owner: {
        type: 0,
        permission_name: 'owner',
        threshold: 1,
        keys: [{ address: owner_address, weight: 1 }],
      },
      actives: [
        {
          type: 2,
          permission_name: 'pair',
          threshold: 2,
          operations,
          keys: pair,
        },
      ],
    })
    await node.waitForTransaction(await node.send(signTransaction(update, key)))

    const transfer = {
      owner_address,
      to_address: addressFromKey(keys.dave),
      amount: 1n,
      Permission_id: 2,
    }
    const unsigned = await node.wallet.createTransaction(transfer)
    const half = signTransaction(unsigned, keys.alice)
    expect(await node.wallet.getSignWeight(half)).toMatchObject({
      permission: { id: 2, operations },
      current_weight: 1,
      result: { code: 'NOT_ENOUGH_PERMISSION' },
    })
    await expect(node.send(half)).rejects.toThrow(BroadcastError)
    const hexOf = (signed: typeof half): Hex => `0x${encodeTransaction(signed)}`
    expect(await rpc('eth_sendRawTransaction', hexOf(half))).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('weigh 1, permission 2 needs 2') },
    })
    const whole = signTransaction(half, keys.bob)
    expect(recoverSigners(whole)).toEqual(pair.map(({ address }) => address))
    expect(await rpc('eth_sendRawTransaction', hexOf(whole))).toBe(`0x${whole.txID}`)
    await node.waitForTransaction(whole.txID)
  })

  test('error: expired, unfunded, wrongly signed; the same again is no error', async () => {
    const owner_address = addressFromKey(keys.alice)
    const to_address = addressFromKey(keys.bob)
    const unsigned = await node.wallet.createTransaction({
      owner_address,
      to_address,
      amount: 1n,
    })
    const send = (transaction: EncodableTransaction, key: Hex) =>
      rpc('eth_sendRawTransaction', `0x${encodeTransaction(signTransaction(transaction, key))}`)
    const changed = (change: (raw: RawDataJson) => RawDataJson) => ({
      raw_data: change(unsigned.raw_data),
    })

    expect(await send(unsigned, keys.bob)).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('invalid sender: signed by') },
    })
    expect(
      await send(
        changed((raw) => ({ ...raw, expiration: Date.now() - 86_400_000 })),
        keys.alice,
      ),
    ).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('transaction expired') },
    })
    expect(
      await send(
        changed((raw) => ({ ...raw, ref_block_hash: '00'.repeat(8) })),
        keys.alice,
      ),
    ).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('transaction expired') },
    })
    const poor: Hex = `0x${randomBytes(32).toString('hex')}`
    const value = { owner_address: addressFromKey(poor), to_address, amount: 1n }
    const type = 'TransferContract'
    const type_url = `type.googleapis.com/protocol.${type}`
    expect(
      await send(
        changed((raw) => ({ ...raw, contract: [{ type, parameter: { value, type_url } }] })),
        poor,
      ),
    ).toMatchObject({
      error: { code: -32000, message: expect.stringContaining('insufficient funds') },
    })
    const hash = await send(unsigned, keys.alice)
    expect(hash).toBe(`0x${unsigned.txID}`)
    expect(await send(unsigned, keys.alice)).toBe(hash)
    await node.waitForTransaction(unsigned.txID)
    expect(await send(unsigned, keys.alice)).toBe(hash)
  })
})
