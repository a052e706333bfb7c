import { randomBytes } from 'node:crypto'

import {
  type BaseContract,
  ContractFactory,
  type ContractTransactionResponse,
  JsonRpcProvider,
  Wallet,
} from 'ethers'
import {
  createPublicClient,
  createWalletClient,
  type Hex,
  http,
  keccak256,
  parseEventLogs,
  parseGwei,
  webSocket,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import {
  BroadcastError,
  type Client,
  createNativeClient,
  type EncodableTransaction,
  encodeTransaction,
  type RawDataJson,
  recoverSigners,
  signTransaction,
  toHexAddress,
} from '../../src/sdk/client.ts'
import { NativeSigner } from '../../src/sdk/ethers.ts'
import { defineNativeChain, toNativeAccount } from '../../src/sdk/viem.ts'
import { artifacts } from '../recordedChain.ts'
import {
  openDevScene,
  openProducingScene,
  producing,
  type Scene,
  skipReason,
} from './sendScenes.ts'

const token = artifacts.Token
const bytecode: Hex = `0x${token.bytecode.replace(/^0x/, '')}`

const address = (key: Hex) => privateKeyToAccount(key).address
const hexAddress = (key: Hex) => toHexAddress(address(key))

if (!producing) process.stderr.write(`${skipReason}\n`)

const scenes = [
  ['the development chain', openDevScene],
  ...(producing ? [['a producing node', openProducingScene] as const] : []),
] as const

describe.each(scenes)('sending to %s', { timeout: 120_000 }, (_, open) => {
  let scene: Scene
  let keys: Scene['keys']
  let url: string
  let chainId: number
  let node: Client

  beforeAll(async () => {
    scene = await open()
    ;({ chainId, keys, url } = scene)
    node = createNativeClient(scene.node)
  })
  afterAll(() => scene?.stop())

  const rpc = async (method: string, ...params: unknown[]) => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { error, result } = (await response.json()) as { error?: unknown; result?: unknown }
    return error ? { error } : result
  }

  /** A fresh account with coins of its own. */
  async function funded(coins = 2_000_000_000n): Promise<Hex> {
    const key: Hex = `0x${randomBytes(32).toString('hex')}`
    const to_address = hexAddress(key)
    const owner_address = hexAddress(keys.rich)
    const unsigned = await node.wallet.createTransaction({
      owner_address,
      to_address,
      amount: coins,
    })
    await node.waitForTransaction(await node.send(signTransaction(unsigned, keys.rich)))
    return key
  }

  /** The id of an account's own token; issued when there is none yet, because an account may issue one only. */
  async function tokenOf(key: Hex): Promise<string> {
    const owner_address = hexAddress(key)
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

  describe('library', () => {
    test('default: a transfer beyond 2^53 sun, there and back', async () => {
      const amount = 9_007_199_254_740_993n
      const rich = hexAddress(keys.rich)
      const carol = hexAddress(keys.carol)
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
      const owner_address = hexAddress(keys.alice)
      const to_address = hexAddress(keys.bob)
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
      const owner_address = hexAddress(key)
      const pair = [
        { address: hexAddress(keys.alice), weight: 1 },
        { address: hexAddress(keys.bob), weight: 1 },
      ]
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
            operations: '7fff1fc0033e0000000000000000000000000000000000000000000000000000',
            keys: pair,
          },
        ],
      })
      await node.waitForTransaction(await node.send(signTransaction(update, key)))

      const transfer = {
        owner_address,
        to_address: hexAddress(keys.dave),
        amount: 1n,
        Permission_id: 2,
      }
      const unsigned = await node.wallet.createTransaction(transfer)
      const half = signTransaction(unsigned, keys.alice)
      await expect(node.send(half)).rejects.toThrow(BroadcastError)
      const hexOf = (signed: typeof half): Hex => `0x${encodeTransaction(signed)}`
      expect(await rpc('eth_sendRawTransaction', hexOf(half))).toMatchObject({
        error: { code: -32000, message: expect.stringContaining('weigh 1, permission 2 wants 2') },
      })
      const whole = signTransaction(half, keys.bob)
      expect(recoverSigners(whole)).toEqual(pair.map(({ address }) => address))
      expect(await rpc('eth_sendRawTransaction', hexOf(whole))).toBe(`0x${whole.txID}`)
      await node.waitForTransaction(whole.txID)
    })

    test('error: expired, unfunded, wrongly signed; the same again is no error', async () => {
      const owner_address = hexAddress(keys.alice)
      const to_address = hexAddress(keys.bob)
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
      const value = { owner_address: hexAddress(poor), to_address, amount: 1n }
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

  describe('viem', () => {
    test('default: deploy, write, read the event, transfer, from a native account', async () => {
      const chain = defineNativeChain({ id: chainId, url })
      const account = toNativeAccount(await funded())
      const wallet = createWalletClient({ account, chain, transport: http() })
      const client = createPublicClient({ chain, pollingInterval: 500, transport: http() })

      const deployment = await wallet.deployContract({ abi: token.abi, args: [1_000n], bytecode })
      const created = await client.waitForTransactionReceipt({ hash: deployment })
      expect(created.status).toBe('success')
      const contract = { abi: token.abi, address: created.contractAddress as Hex }

      const to = address(keys.dave)
      const write = await wallet.writeContract({
        ...contract,
        functionName: 'transfer',
        args: [to, 7n],
      })
      const written = await client.waitForTransactionReceipt({ hash: write })
      const [event] = parseEventLogs({
        abi: token.abi,
        logs: written.logs,
        eventName: 'Transfer',
      }) as unknown as { args: unknown }[]
      expect(event?.args).toEqual({ from: account.address, to, value: 7n })
      expect(
        await client.readContract({ ...contract, functionName: 'balanceOf', args: [to] }),
      ).toBe(7n)

      const before = await client.getTransactionCount({ address: account.address })
      const hashes = await Promise.all([1, 2].map(() => wallet.sendTransaction({ to, value: 5n })))
      expect(new Set(hashes).size).toBe(2)
      for (const hash of hashes) {
        expect(await client.getTransaction({ hash })).toMatchObject({ hash, value: 5n })
        const receipt = await client.waitForTransactionReceipt({ hash })
        expect(receipt).toMatchObject({ status: 'success', transactionHash: hash })
      }
      expect(await client.getTransactionCount({ address: account.address })).toBe(before + 2)
    })

    test('behavior: a plain account works where the gateway manages its key, a stranger is told why not', async () => {
      const chain = defineNativeChain({ id: chainId, url })
      const client = createPublicClient({ chain, pollingInterval: 500, transport: http() })
      const send = (key: Hex) =>
        createWalletClient({
          account: privateKeyToAccount(key),
          chain,
          transport: http(),
        }).sendTransaction({ to: address(keys.alice), value: 3n })
      const hash = await send(keys.dave)
      const receipt = await client.waitForTransactionReceipt({ hash })
      expect(receipt.transactionHash).toBe(hash)
      await expect(send(keys.carol)).rejects.toThrow(/signs the SHA-256 of a protobuf message/)
    })

    test('behavior: 18 decimals at /wei', async () => {
      const chain = defineNativeChain({ id: chainId, url: `${url}/wei`, decimals: 18 })
      const client = createPublicClient({ chain, pollingInterval: 500, transport: http() })
      const account = toNativeAccount(await funded(20_000_000n))
      const socket = createPublicClient({
        transport: webSocket(`${url.replace('http', 'ws')}/wei`, { reconnect: false }),
      })
      for (const each of [client, socket])
        expect(await each.getBalance({ address: account.address })).toBe(20n * 10n ** 18n)
      ;(await socket.transport.getRpcClient()).close()
      for (const signer of [account, privateKeyToAccount(keys.bob)]) {
        const wallet = createWalletClient({ account: signer, chain, transport: http() })
        const hash = await wallet.sendTransaction({
          to: address(keys.dave),
          value: parseGwei('1000'),
        })
        await client.waitForTransactionReceipt({ hash })
        expect((await client.getTransaction({ hash })).value).toBe(10n ** 12n)
        await expect(wallet.sendTransaction({ to: address(keys.dave), value: 1n })).rejects.toThrow(
          /multiple of 10\^12/,
        )
      }
    })
  })

  describe('ethers', () => {
    test.each([
      ['a native signer', (key: Hex, provider: JsonRpcProvider) => new NativeSigner(key, provider)],
      [
        'a wallet whose key is managed',
        (_: Hex, provider: JsonRpcProvider) => new Wallet(keys.bob, provider),
      ],
    ])('default: deploy, write, read the event, transfer, from %s', async (_, signerOf) => {
      const provider = new JsonRpcProvider(url, undefined, { pollingInterval: 500 })
      try {
        const signer = signerOf(await funded(), provider)
        const factory = new ContractFactory(token.abi as never, bytecode, signer)
        const contract = (await factory.deploy(1_000n)) as BaseContract & {
          balanceOf(account: string): Promise<bigint>
          transfer(to: string, value: bigint): Promise<ContractTransactionResponse>
        }
        await contract.waitForDeployment()
        const deployed = await contract.deploymentTransaction()?.wait()
        expect(deployed?.contractAddress).toMatch(/^0x/)

        const to = address(keys.dave)
        const written = await (await contract.transfer(to, 7n)).wait()
        const [log] = written?.logs ?? []
        expect(log && 'args' in log && [...log.args]).toEqual([await signer.getAddress(), to, 7n])
        expect(await contract.balanceOf(to)).toBe(7n)

        const response = await signer.sendTransaction({ to, value: 5n })
        const receipt = await response.wait()
        expect(receipt).toMatchObject({ hash: response.hash, status: 1 })
        expect(await provider.getTransaction(response.hash)).toMatchObject({ value: 5n })
      } finally {
        provider.destroy()
      }
    })
  })

  describe('managed keys', () => {
    test('default: both hashes find what a wallet sent', async () => {
      const account = privateKeyToAccount(keys.dave)
      const nonce = Number(await rpc('eth_getTransactionCount', account.address, 'pending'))
      const gasPrice = BigInt((await rpc('eth_gasPrice')) as Hex)
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId,
        gas: 21_000n,
        maxFeePerGas: gasPrice,
        nonce,
        to: address(keys.alice),
        value: 1n,
      })
      const hash = keccak256(raw)
      expect(await rpc('eth_sendRawTransaction', raw)).toBe(hash)
      expect(await rpc('eth_getTransactionByHash', hash)).toMatchObject({
        blockHash: null,
        hash,
        nonce: `0x${nonce.toString(16)}`,
      })
      expect(await rpc('eth_sendRawTransaction', raw)).toBe(hash)
      const provider = new JsonRpcProvider(url, undefined, { pollingInterval: 500 })
      const receipt = await provider.waitForTransaction(hash)
      provider.destroy()
      expect(receipt?.hash).toBe(hash)
      const block = (await rpc('eth_getBlockByHash', receipt?.blockHash, false)) as {
        transactions: Hex[]
      }
      const id = block.transactions.at(receipt?.index ?? 0)
      expect(await rpc('eth_getTransactionReceipt', id)).toMatchObject({ transactionHash: id })
      expect(await rpc('eth_getTransactionCount', account.address, 'latest')).toBe(
        `0x${(nonce + 1).toString(16)}`,
      )
      const late = await account.signTransaction({
        type: 'legacy',
        chainId,
        gas: 21_000n,
        gasPrice,
        nonce,
        to: address(keys.alice),
        value: 2n,
      })
      expect(await rpc('eth_sendRawTransaction', late)).toMatchObject({
        error: { code: -32000, message: expect.stringContaining('nonce too low') },
      })
    })
  })
})
