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

import { NativeSigner } from '../../src/sdk/ethers.ts'
import { defineNativeChain, toNativeAccount } from '../../src/sdk/viem.ts'
import { artifacts } from '../support/recordedChain.ts'
import { callRpc, fundedKey, producing, type Scene, scenes, skipReason } from './sendScenes.ts'

const token = artifacts.Token
const bytecode: Hex = `0x${token.bytecode.replace(/^0x/, '')}`

const address = (key: Hex) => privateKeyToAccount(key).address

if (!producing) process.stderr.write(`${skipReason}\n`)

describe.each(scenes)('sending to %s', (_, open) => {
  let scene: Scene
  let keys: Scene['keys']
  let url: string
  let chainId: number

  beforeAll(async () => {
    scene = await open()
    ;({ chainId, keys, url } = scene)
  })
  afterAll(() => scene?.stop())

  const rpc = (method: string, ...params: unknown[]) => callRpc(url, method, params)
  const funded = (amount = 2_000_000_000n) => fundedKey(scene, amount)

  describe('viem', () => {
    test('default: deploy, write, read the event, transfer, from a native account', async () => {
      const chain = defineNativeChain({ id: chainId, url })
      const account = toNativeAccount(await funded())
      const wallet = createWalletClient({ account, chain, transport: http() })
      const client = createPublicClient({ chain, pollingInterval: 100, transport: http() })

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

    test('behavior: a plain account works if the gateway manages its key; another account gets an error with the reason', async () => {
      const chain = defineNativeChain({ id: chainId, url })
      const client = createPublicClient({ chain, pollingInterval: 100, transport: http() })
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
      const client = createPublicClient({ chain, pollingInterval: 100, transport: http() })
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
      // Blocks come often here, and ethers keeps a nonce for 250 ms.
      const provider = new JsonRpcProvider(url, undefined, {
        cacheTimeout: -1,
        pollingInterval: 100,
      })
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
        hash,
        nonce: `0x${nonce.toString(16)}`,
      })
      expect(await rpc('eth_sendRawTransaction', raw)).toBe(hash)
      const provider = new JsonRpcProvider(url, undefined, { pollingInterval: 100 })
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
