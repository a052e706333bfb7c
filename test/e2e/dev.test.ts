import { type Contract, ContractFactory, JsonRpcProvider, Wallet } from 'ethers'
import { createPublicClient, createWalletClient, http, parseEventLogs } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { artifacts } from '../support/recordedChain.ts'

const { abi, bytecode } = artifacts.Token
const SUPPLY = 1_000_000n

let dev: DevGateway

beforeAll(async () => {
  dev = await startDevGateway()
})

afterAll(() => dev.close())

async function viemClients() {
  const chain = {
    id: dev.chain.chainId,
    name: 'dev',
    nativeCurrency: { name: 'coin', symbol: 'COIN', decimals: 6 },
    rpcUrls: { default: { http: [dev.url] } },
  }
  const transport = http(dev.url)
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 50 }),
    wallet: createWalletClient({ chain, transport, account: dev.accountOf(0) }),
    local: createWalletClient({ chain, transport, account: privateKeyToAccount(dev.keyOf(1)) }),
  }
}

describe('viem', () => {
  test('default: deploys, transfers, reads and watches', async () => {
    const { client, wallet } = await viemClients()
    const deployed = await client.waitForTransactionReceipt({
      hash: await wallet.deployContract({
        abi,
        bytecode: `0x${bytecode.replace('0x', '')}`,
        args: [SUPPLY],
      }),
    })
    expect(deployed.status).toBe('success')
    const token = deployed.contractAddress as `0x${string}`

    const seen: bigint[] = []
    const unwatch = client.watchContractEvent({
      abi,
      address: token,
      eventName: 'Transfer',
      onLogs: (logs) => {
        for (const log of logs)
          seen.push((log as unknown as { args: { value: bigint } }).args.value)
      },
    })
    const { request } = await client.simulateContract({
      abi,
      address: token,
      functionName: 'transfer',
      args: [dev.accountOf(1), 42n],
      account: dev.accountOf(0),
    })
    const receipt = await client.waitForTransactionReceipt({
      hash: await wallet.writeContract(request),
    })
    expect(parseEventLogs({ abi, logs: receipt.logs })).toMatchObject([
      { eventName: 'Transfer', args: { value: 42n } },
    ])
    expect(
      await client.readContract({
        abi,
        address: token,
        functionName: 'balanceOf',
        args: [dev.accountOf(1)],
      }),
    ).toBe(42n)
    await expect.poll(() => seen).toEqual([42n])
    unwatch()
  })

  test('behavior: a transfer signed by a local account of the chain is taken', async () => {
    const { client, local } = await viemClients()
    const before = await client.getBalance({ address: dev.accountOf(2) })
    const hash = await local.sendTransaction({ to: dev.accountOf(2), value: 7n })
    const receipt = await client.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({
      status: 'success',
      from: dev.accountOf(1),
      to: dev.accountOf(2),
    })
    expect(await client.getBalance({ address: dev.accountOf(2) })).toBe(before + 7n)
  })

  test('error: a custom error of a contract is decoded', async () => {
    const { client, wallet } = await viemClients()
    const { contractAddress } = await client.waitForTransactionReceipt({
      hash: await wallet.deployContract({
        abi,
        bytecode: `0x${bytecode.replace('0x', '')}`,
        args: [1n],
      }),
    })
    await expect(
      client.simulateContract({
        abi,
        address: contractAddress as `0x${string}`,
        functionName: 'transfer',
        args: [dev.accountOf(1), 2n],
        account: dev.accountOf(0),
      }),
    ).rejects.toThrow('InsufficientBalance')
  })
})

describe('ethers', () => {
  test('default: deploys, transfers and listens', async () => {
    const provider = new JsonRpcProvider(dev.url, undefined, {
      polling: true,
      pollingInterval: 50,
      // ethers keeps answers for 250 ms, nonces too, and a block is made sooner.
      cacheTimeout: -1,
    })
    const wallet = new Wallet(dev.keyOf(3), provider)
    const factory = new ContractFactory(abi as never, bytecode, wallet)
    const deployed = (await (await factory.deploy(SUPPLY)).waitForDeployment()) as Contract
    const seen: bigint[] = []
    await deployed.on('Transfer', (_from, _to, value: bigint) => seen.push(value))
    const sent = (await deployed.getFunction('transfer')(dev.accountOf(4), 5n)) as {
      wait(): Promise<{ status: number }>
    }
    expect(await sent.wait()).toMatchObject({ status: 1 })
    expect(await deployed.getFunction('balanceOf')(dev.accountOf(4))).toBe(5n)
    await expect.poll(() => seen).toContain(5n)
    await deployed.removeAllListeners()

    const transfer = await wallet.sendTransaction({ to: dev.accountOf(5), value: 9n })
    expect((await transfer.wait())?.hash).toBe(transfer.hash)
    provider.destroy()
  })
})

describe('a wallet', () => {
  test('default: chain id, balance, estimate, raw transaction, receipt', async () => {
    const account = privateKeyToAccount(dev.keyOf(6))
    const from = account.address
    expect(await dev.rpc('eth_chainId')).toBe(`0x${dev.chain.chainId.toString(16)}`)
    expect(await dev.rpc('net_version')).toBe(dev.chain.chainId.toString())
    const head = await dev.rpc('eth_blockNumber')
    // Wallets ask for state at the number that they saw last.
    expect(BigInt((await dev.rpc('eth_getBalance', from, head)) as string)).toBe(10n ** 10n)
    const call = { from, to: dev.accountOf(7), value: '0x10' }
    const gas = BigInt((await dev.rpc('eth_estimateGas', call, head)) as string)
    const gasPrice = BigInt((await dev.rpc('eth_gasPrice')) as string)
    const nonce = Number(await dev.rpc('eth_getTransactionCount', from, 'pending'))
    const raw = await account.signTransaction({
      type: 'legacy',
      chainId: dev.chain.chainId,
      to: dev.accountOf(7),
      value: 16n,
      gas,
      gasPrice,
      nonce,
    })
    const hash = await dev.rpc('eth_sendRawTransaction', raw)
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      status: '0x1',
      transactionHash: hash,
    })
    expect(await dev.rpc('eth_getTransactionByHash', hash)).toMatchObject({ hash, value: '0x10' })
  })
})
