import * as wagmi from '@wagmi/core'
import {
  ContractFactory,
  JsonRpcProvider,
  type TransactionResponse,
  Wallet,
  type BaseContract,
} from 'ethers'
import { ethers as ethers5 } from 'ethers5'
import { createPublicClient, createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ContractAbi, Web3 } from 'web3'

import { defineNativeChain } from '../../../src/sdk/viem.ts'
import { createClient } from '../../support/client.ts'
import { type DevGateway, startDevGateway } from '../../support/devGateway.ts'
import { artifacts } from '../../support/recordedChain.ts'
import { until } from '../../support/until.ts'

/** The fee fields that clients choose under each fee signal, and the most that the sender then pays. */

const { abi } = artifacts.Token
const bytecode: Hex = `0x${artifacts.Token.bytecode.replace(/^0x/, '')}`

describe.each(['eip1559', 'legacy'] as const)('%s', (feeSignal) => {
  let dev: DevGateway
  let price: bigint
  let to: Hex
  let key: (index: number) => Hex

  beforeAll(async () => {
    dev = await startDevGateway({}, { feeSignal })
    price = BigInt((await dev.rpc('eth_gasPrice')) as Hex)
    key = (index) => dev.keyOf(index)
    to = privateKeyToAccount(key(9)).address
  })
  afterAll(() => dev.close())

  /** The fee limit of the native transaction that a hash means, sun. */
  async function feeLimitOf(hash: string): Promise<bigint> {
    const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      blockHash: Hex
      status: Hex
      transactionIndex: Hex
    }
    expect(receipt.status).toBe('0x1')
    const { blockHash, transactionIndex } = receipt
    const { transactions } = (await dev.rpc('eth_getBlockByHash', blockHash, false)) as {
      transactions: Hex[]
    }
    const value = transactions[Number(transactionIndex)]?.slice(2)
    const found = await dev.native('/wallet/gettransactionbyid', { value })
    return BigInt((found['raw_data'] as { fee_limit: number }).fee_limit)
  }

  test('default: blocks, new heads and the fee history name the same base fee, or none', async () => {
    const client = createClient(dev.url)
    const socket = await client.socket()
    const id = await socket.rpc<string>('eth_subscribe', 'newHeads')
    await dev.chain.mine()
    const header = await until(() => {
      const [first] = socket.of<{ baseFeePerGas?: Hex; hash: Hex; number: Hex }>(id)
      if (!first) throw new Error('no head yet')
      return first
    })
    await socket.close()
    const expected = feeSignal === 'legacy' ? undefined : `0x${price.toString(16)}`
    expect(header.baseFeePerGas).toBe(expected)
    for (const full of [false, true]) {
      const block = await client.rpc<typeof header>('eth_getBlockByHash', header.hash, full)
      expect(block.baseFeePerGas).toBe(expected)
    }
    const history = await client.rpc('eth_feeHistory', '0x1', header.number, [50])
    const sun = `0x${price.toString(16)}`
    expect(history).toMatchObject({ baseFeePerGas: [sun, sun], reward: [['0x0']] })
    expect(await client.rpc('eth_maxPriorityFeePerGas')).toBe('0x0')
  })

  test('behavior: ethers 6', async () => {
    const provider = new JsonRpcProvider(dev.url, undefined, {
      cacheTimeout: -1,
      pollingInterval: 50,
    })
    const factory = new ContractFactory(abi as never, bytecode, new Wallet(key(1), provider))
    const contract = (await factory.deploy(1_000n)) as BaseContract & {
      transfer(to: string, value: bigint): Promise<TransactionResponse>
    }
    const deployment = contract.deploymentTransaction() as TransactionResponse
    await deployment.wait()
    const written = await contract.transfer(to, 7n)
    await written.wait()
    provider.destroy()
    for (const { gasLimit, hash, maxFeePerGas } of [deployment, written]) {
      expect(maxFeePerGas).toBe(feeSignal === 'legacy' ? null : 2n * price)
      expect(await feeLimitOf(hash)).toBe(gasLimit * price)
    }
  })

  test('behavior: ethers 5, whose tip is 1.5 gwei whatever a node says', async () => {
    const provider = new ethers5.providers.JsonRpcProvider(dev.url)
    provider.pollingInterval = 50
    const wallet = new ethers5.Wallet(key(2), provider)
    const factory = new ethers5.ContractFactory(abi as never, bytecode, wallet)
    const { deployTransaction } = await factory.deploy(1_000n)
    await deployTransaction.wait()
    provider.removeAllListeners()
    expect(deployTransaction.maxFeePerGas?.toBigInt()).toBe(
      feeSignal === 'legacy' ? undefined : 1_500_000_000n + 2n * price,
    )
    expect(await feeLimitOf(deployTransaction.hash)).toBe(
      deployTransaction.gasLimit.toBigInt() * price,
    )
  })

  test('behavior: viem and wagmi', async () => {
    const chain = defineNativeChain({ id: dev.chain.chainId, url: dev.url })
    const client = createPublicClient({ pollingInterval: 50, transport: http(dev.url) })
    const wallet = createWalletClient({
      account: privateKeyToAccount(key(3)),
      chain,
      transport: http(dev.url),
    })
    const hash = await wallet.deployContract({ abi, args: [1_000n], bytecode })
    await client.waitForTransactionReceipt({ hash })
    const signed = await feeLimitOf(hash)
    expect(signed % price).toBe(0n)
    expect(signed).toBeLessThan(10_000_000n * price)
    if (feeSignal === 'legacy') return
    expect(await client.estimateFeesPerGas()).toEqual({
      maxFeePerGas: (price * 12n) / 10n,
      maxPriorityFeePerGas: 0n,
    })
    const config = wagmi.createConfig({
      chains: [chain],
      transports: { [chain.id]: http(dev.url) },
    })
    expect(await wagmi.estimateFeesPerGas(config)).toMatchObject({ maxPriorityFeePerGas: 0n })
  })

  // Without a base fee in blocks web3.js 4 refuses everything that its caller did not call legacy.
  test('behavior: web3.js 4, whose tip is 2.5 gwei', async () => {
    const web3 = new Web3(dev.url)
    web3.transactionPollingInterval = 50
    const { address } = web3.eth.accounts.wallet.add(key(4))[0] ?? { address: '' }
    const type = feeSignal === 'legacy' ? { type: '0x0' } : {}
    const contract = await new web3.eth.Contract(abi as unknown as ContractAbi)
      .deploy({ arguments: [1_000n], data: bytecode })
      .send({ from: address, ...type })
    const written = await contract.methods['transfer']?.(to, 7n).send({ from: address, ...type })
    const hash = written?.transactionHash ?? ''
    const limit = await feeLimitOf(hash)
    expect(limit % price).toBe(0n)
    expect(limit).toBeLessThan(100_000n * price)
    const plain = await web3.eth.sendTransaction({ from: address, to, value: 5n, ...type })
    expect(plain.status).toBe(1n)
  })

  test('error: a maximum below the energy price', async () => {
    const account = privateKeyToAccount(key(5))
    const raw = await account.signTransaction({
      type: 'eip1559',
      chainId: dev.chain.chainId,
      data: bytecode,
      gas: 1_000_000n,
      maxFeePerGas: price - 1n,
      nonce: 0,
    })
    await expect(dev.rpc('eth_sendRawTransaction', raw)).rejects.toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^max fee per gas less than block base fee/),
    })
  })
})
