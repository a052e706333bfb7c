import { randomBytes } from 'node:crypto'

import { ContractFactory, JsonRpcProvider, Wallet } from 'ethers'
import {
  getContractAddress,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { noFaults } from '../../src/devchain/api/faults.ts'
import { createDevChain, type DevChain } from '../../src/devchain/index.ts'
import type { Gateway } from '../../src/gateway/gateway.ts'
import { startGateway } from '../support/gateway.ts'
import { artifacts } from '../support/recordedChain.ts'
import { explainSkip, redisMissing, someRedis } from '../support/redis.ts'
import { until } from '../support/until.ts'

explainSkip(redisMissing)

/** The order of the curve. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe.skipIf(redisMissing)('two replicas on one Redis', () => {
  let chain: DevChain
  let redis: Awaited<ReturnType<typeof someRedis>>
  const gateways: Gateway[] = []
  /** The key of a managed account without coins. */
  const poor = generatePrivateKey()

  beforeAll(async () => {
    redis = await someRedis()
    chain = await createDevChain({ mining: { blockTime: 300 } })
    chain.automine = false
    await chain.start()
    const redisPrefix = `replicas-${randomBytes(6).toString('hex')}`
    for (const _ of [1, 2]) {
      const { gateway } = await startGateway({
        config: { redis: redis.url, redisPrefix },
        keys: [...chain.accounts.map(({ key }) => key), poor.slice(2)],
        transport: chain.transport,
      })
      gateways.push(gateway)
    }
  })
  afterAll(async () => {
    for (const gateway of gateways) await gateway.stop()
    await chain?.close()
    await redis?.close()
  })

  /** As a client that does what it is told: on a busy machine the nodes can take too long. */
  async function call(replica: number, method: string, ...params: unknown[]): Promise<unknown> {
    try {
      return await (gateways[replica % 2] as Gateway).request({ method, params })
    } catch (error) {
      if (!String(error).includes('nothing was sent: try again later')) throw error
      return call(replica, method, ...params)
    }
  }
  const key = (index: number): Hex => `0x${chain.accounts[index]?.key}`

  test('error: requests for one transaction at once, which no node confirms: none of them succeeds', async () => {
    const account = privateKeyToAccount(key(6))
    const to = privateKeyToAccount(key(7)).address
    const raw = await account.signTransaction({
      type: 'legacy',
      chainId: chain.chainId,
      gas: 21_000n,
      gasPrice: 1_000n,
      nonce: 0,
      to,
      value: 1n,
    })
    const operations = ['broadcasthex', 'gettransactionbyid']
    chain.setFaults({ ...noFaults, dropRate: 1, operations })
    const sent = await Promise.allSettled(
      [0, 1, 0, 1].map((replica) => call(replica, 'eth_sendRawTransaction', raw)),
    )
    chain.setFaults(noFaults)
    expect(sent).toEqual(
      sent.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: -32003 }) })),
    )
    expect(await call(1, 'eth_sendRawTransaction', raw)).toBe(keccak256(raw))
    await until(async () =>
      expect(await call(0, 'eth_getTransactionReceipt', keccak256(raw))).toMatchObject({
        status: '0x1',
      }),
    )
    expect(await call(0, 'eth_getTransactionCount', account.address, 'latest')).toBe('0x1')
  })

  test('default: nonces, hashes and pending transactions are shared by the replicas', async () => {
    const account = privateKeyToAccount(key(0))
    const to = privateKeyToAccount(key(1)).address
    const nonces = Array.from({ length: 20 }, (_, nonce) => nonce)
    const signed = await Promise.all(
      nonces.map((nonce) =>
        account.signTransaction({
          type: 'legacy',
          chainId: chain.chainId,
          gas: 21_000n,
          gasPrice: 1_000n,
          nonce,
          to,
          value: 1n,
        }),
      ),
    )
    // Each to either replica, and out of order.
    const hashes = await Promise.all(
      signed.toReversed().map((raw, index) => call(index, 'eth_sendRawTransaction', raw)),
    )
    expect(hashes).toEqual(signed.toReversed().map((raw) => keccak256(raw)))
    expect(await call(0, 'eth_getTransactionCount', account.address, 'pending')).toBe('0x14')
    for (const [index, hash] of hashes.entries())
      expect(await call(index + 1, 'eth_getTransactionByHash', hash)).toMatchObject({ hash })

    await until(
      async () => {
        for (const replica of [0, 1])
          expect(await call(replica, 'eth_getTransactionCount', account.address, 'latest')).toBe(
            '0x14',
          )
      },
      { interval: 200 },
    )
    // The head of the other replica follows within moments.
    await until(async () => {
      const receipts = await Promise.all(
        hashes.map((hash, index) => call(index + 1, 'eth_getTransactionReceipt', hash)),
      )
      expect(receipts).toMatchObject(
        hashes.map((hash) => ({ status: '0x1', transactionHash: hash })),
      )
    })
    await expect(call(1, 'eth_sendRawTransaction', signed[3])).resolves.toBe(
      keccak256(signed[3] as Hex),
    )
  })

  test('default: of one nonce that is sent to both, one is accepted', async () => {
    const account = privateKeyToAccount(key(2))
    const sends = [1n, 2n].map(async (value, replica) =>
      call(
        replica,
        'eth_sendRawTransaction',
        await account.signTransaction({
          type: 'legacy',
          chainId: chain.chainId,
          gas: 21_000n,
          gasPrice: 1_000n,
          nonce: 0,
          to: `0x${'c5'.repeat(20)}`,
          value,
        }),
      ),
    )
    const outcomes = (await Promise.allSettled(sends)).map(({ status }) => status).toSorted()
    expect(outcomes).toEqual(['fulfilled', 'rejected'])
  })

  test('behavior: a transaction and its twin with the other signature are one payment', async () => {
    const to = `0x${'c7'.repeat(20)}` as const
    const account = privateKeyToAccount(key(5))
    const fields = {
      type: 'legacy',
      chainId: chain.chainId,
      gas: 21_000n,
      gasPrice: 1_000n,
      nonce: 0,
      to,
      value: 1_000_000n,
    } as const
    const raw = await account.signTransaction(fields)
    const { r, s, v } = parseTransaction(raw)
    if (!r || !s || v === undefined) throw new Error('not signed')
    const other: Hex = `0x${(ORDER - BigInt(s)).toString(16).padStart(64, '0')}`
    const flipped = { r, s: other, v: v % 2n === 0n ? v - 1n : v + 1n }
    const twin = serializeTransaction(fields, flipped)
    expect(await recoverTransactionAddress({ serializedTransaction: twin })).toBe(account.address)
    const sent = await Promise.allSettled(
      [raw, twin, raw, twin].map((one, replica) => call(replica, 'eth_sendRawTransaction', one)),
    )
    expect(sent.some(({ status }) => status === 'fulfilled')).toBe(true)
    await until(async () =>
      expect(await call(0, 'eth_getTransactionCount', account.address, 'latest')).toBe('0x1'),
    )
    await Promise.allSettled([raw, twin].map((one) => call(1, 'eth_sendRawTransaction', one)))
    await chain.mine()
    await until(async () => expect(await call(1, 'eth_getBalance', to, 'latest')).toBe('0xf4240'))
    expect(await call(1, 'eth_getTransactionCount', account.address, 'pending')).toBe('0x1')
  })

  test('behavior: a nonce that both sign for at once is paid once', async () => {
    const [from, to] = [key(8), key(9)].map((of) => privateKeyToAccount(of).address)
    const request = { from, to, value: '0x5', nonce: '0x0', gas: '0x5208', gasPrice: '0x3e8' }
    const outcomes = await Promise.allSettled(
      [0, 1, 0, 1].map((replica) => call(replica, 'eth_signTransaction', request)),
    )
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ message: expect.stringContaining('underpriced') })
    const again = await Promise.all(
      [0, 1].map((replica) => call(replica, 'eth_signTransaction', request)),
    )
    const signed = [...outcomes.flatMap((one) => ('value' in one ? one.value : [])), ...again]
    const raws = new Set(signed.map((one) => (one as { raw: Hex }).raw))
    expect(raws.size).toBe(1)
    for (const replica of [0, 1]) await call(replica, 'eth_sendRawTransaction', ...raws)
    await until(async () =>
      expect(await call(1, 'eth_getTransactionCount', from, 'latest')).toBe('0x1'),
    )
  })

  test('behavior: the other replica knows the predicted address of a contract', async () => {
    const { abi, bytecode } = artifacts.Token
    const url = `http://127.0.0.1`
    const send = (replica: number) => {
      const provider = new JsonRpcProvider(url, chain.chainId, { staticNetwork: true })
      provider.send = (method, params) => call(replica, method, ...(params as unknown[])) as never
      return provider
    }
    const [a, b] = [send(0), send(1)]
    const factory = new ContractFactory(abi as never, bytecode, new Wallet(key(3), a))
    const contract = await factory.deploy(1_000n)
    await contract.waitForDeployment()
    const address = await contract.getAddress()
    await until(async () => expect(await b.getCode(address)).not.toBe('0x'), { interval: 100 })
    const receipt = await contract.deploymentTransaction()?.wait()
    expect(await b.getCode(receipt?.contractAddress as string)).toBe(await b.getCode(address))
    expect(receipt?.contractAddress).not.toBe(address)
    a.destroy()
    b.destroy()
  })

  test('behavior: a refused creation leaves no address; the retry has the right one everywhere', async () => {
    const account = privateKeyToAccount(poor)
    const terms = { type: 'legacy', chainId: chain.chainId, gas: 3_000_000n } as const
    const creation = await account.signTransaction({
      ...terms,
      gasPrice: 1_000n,
      nonce: 0,
      // The total supply is the argument of the constructor.
      data: `0x${artifacts.Token.bytecode.replace('0x', '')}${'1'.padStart(64, '0')}`,
    })
    await expect(call(0, 'eth_sendRawTransaction', creation)).rejects.toThrow(/./)
    const predicted = getContractAddress({ from: account.address, nonce: 0n })
    const data = `0x${'0'.repeat(24)}${predicted.slice(2)}`
    const isFree = async (replica: number) => {
      expect(await call(replica, 'eth_getCode', predicted, 'latest')).toBe('0x')
      // Data with a recorded address would be refused.
      await call(replica, 'eth_call', { to: `0x${'c6'.repeat(20)}`, data }, 'latest')
    }
    for (const replica of [0, 1]) await isFree(replica)

    const rich = privateKeyToAccount(key(4))
    const coins = await rich.signTransaction({
      ...terms,
      gasPrice: 1_000n,
      nonce: 0,
      to: account.address,
      value: 5_000_000_000n,
    })
    await call(0, 'eth_sendRawTransaction', coins)
    for (const replica of [0, 1])
      await until(
        async () =>
          expect(
            BigInt((await call(replica, 'eth_getBalance', account.address, 'latest')) as Hex),
          ).toBeGreaterThan(0n),
        { interval: 100 },
      )
    for (const replica of [0, 1]) await isFree(replica)

    // The retry goes to the other replica, and has another native id than the refused one.
    expect(await call(1, 'eth_sendRawTransaction', creation)).toBe(keccak256(creation))
    for (const replica of [0, 1])
      await until(
        async () => {
          const receipt = (await call(
            replica,
            'eth_getTransactionReceipt',
            keccak256(creation),
          )) as {
            contractAddress: Hex
            status: Hex
          }
          expect(receipt).toMatchObject({ status: '0x1' })
          const code = await call(replica, 'eth_getCode', receipt.contractAddress, 'latest')
          expect(code).not.toBe('0x')
          expect(await call(replica, 'eth_getCode', predicted, 'latest')).toBe(code)
          await expect(
            call(replica, 'eth_call', { to: `0x${'c6'.repeat(20)}`, data }, 'latest'),
          ).rejects.toMatchObject({ data: { actual: receipt.contractAddress } })
        },
        { interval: 200 },
      )
  })
})
