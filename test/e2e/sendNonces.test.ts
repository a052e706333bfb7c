import { JsonRpcProvider, NonceManager } from 'ethers'
import { createWalletClient, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { NativeSigner } from '../../src/sdk/ethers.ts'
import { defineNativeChain, toNativeAccount } from '../../src/sdk/viem.ts'
import { callRpc, fundedKey, openDevScene, type Scene } from './sendScenes.ts'

const UNDERPRICED = /replacement transaction underpriced/

let scene: Scene
let to: Hex
beforeAll(async () => {
  scene = await openDevScene()
  to = privateKeyToAccount(scene.keys.carol).address
})
afterAll(() => scene?.stop())

/** What is paid to `to` while `pay` runs, after all its transactions are mined. */
async function paid(from: Hex, pay: () => Promise<unknown>): Promise<bigint> {
  const rpc = (method: string, ...params: unknown[]) => callRpc(scene.url, method, params)
  const balance = async () => BigInt((await rpc('eth_getBalance', to, 'latest')) as Hex)
  const counts = (at: string) =>
    rpc('eth_getTransactionCount', privateKeyToAccount(from).address, at)
  const before = await balance()
  await pay()
  while ((await counts('latest')) !== (await counts('pending')))
    await new Promise((resolve) => setTimeout(resolve, 100))
  return (await balance()) - before
}

describe('viem', () => {
  const open = async () => {
    const key = await fundedKey(scene, 100_000_000n)
    const chain = defineNativeChain({ id: scene.chainId, url: scene.url })
    return {
      key,
      wallet: createWalletClient({ account: toNativeAccount(key), chain, transport: http() }),
    }
  }

  test('behavior: a nonce that was given is used once', async () => {
    const { key, wallet } = await open()
    const amount = await paid(key, async () => {
      const send = (value: bigint) => wallet.sendTransaction({ nonce: 0, to, value })
      const first = await send(5n)
      expect(await send(5n)).toBe(first)
      await expect(send(6n)).rejects.toThrow(UNDERPRICED)
      const all = [7n, 8n].map((value) => wallet.sendTransaction({ nonce: 1, to, value }))
      const settled = await Promise.allSettled(all)
      expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    })
    expect([12n, 13n]).toContain(amount)
    await expect(
      createWalletClient({
        account: toNativeAccount(key),
        chain: defineNativeChain({ id: scene.chainId, url: scene.url }),
        transport: http(),
      }).sendTransaction({ nonce: 0, to, value: 9n }),
    ).rejects.toThrow(/nonce too low|Nonce provided for the transaction is lower/)
  })

  test('behavior: another gateway has the reference block', async () => {
    const { wallet } = await open()
    const chain = defineNativeChain({ id: scene.chainId, reference: scene.url, url: scene.url })
    await expect(wallet.sendTransaction({ chain, to, value: 5n })).resolves.toBeDefined()
    const other = await openDevScene()
    try {
      const lying = defineNativeChain({ id: scene.chainId, reference: other.url, url: scene.url })
      await expect(wallet.sendTransaction({ chain: lying, to, value: 5n })).rejects.toThrow(
        'another chain',
      )
    } finally {
      await other.stop()
    }
  })
})

describe('ethers', () => {
  const open = async (Provider = JsonRpcProvider) => {
    const key = await fundedKey(scene, 100_000_000n)
    const provider = new Provider(scene.url, undefined, { cacheTimeout: -1, pollingInterval: 100 })
    return { key, provider, signer: new NativeSigner(key, provider, { sleep: async () => {} }) }
  }

  test('behavior: a nonce that was given is used once', async () => {
    const { key, provider, signer } = await open()
    const amount = await paid(key, async () => {
      const first = await signer.sendTransaction({ nonce: 0, to, value: 5n })
      const again = signer.connect(provider).sendTransaction({ nonce: 0, to, value: 6n })
      await expect(again).rejects.toThrow(/replacement/)
      expect((await signer.sendTransaction({ nonce: 0, to, value: 5n })).hash).toBe(first.hash)
      await expect(signer.sendTransaction({ nonce: 0, to, value: 6n })).rejects.toThrow(UNDERPRICED)
    })
    expect(amount).toBe(5n)
    provider.destroy()
  })

  test('behavior: transactions of a NonceManager at once', async () => {
    const { key, provider, signer } = await open()
    const manager = new NonceManager(signer)
    const amount = await paid(key, () =>
      Promise.all([1n, 2n, 3n].map((value) => manager.sendTransaction({ to, value }))),
    )
    expect(amount).toBe(6n)
    provider.destroy()
  })

  test('behavior: a refused transaction gives its nonce back', async () => {
    const answers = ['refused: the balance is not sufficient']
    class Refusing extends JsonRpcProvider {
      override async send(method: string, params: unknown[] | Record<string, unknown>) {
        const message = method === 'eth_sendRawTransaction' ? answers.shift() : undefined
        if (message === undefined) return super.send(method, params) as Promise<unknown>
        const payload = { id: 1, jsonrpc: '2.0', method, params } as const
        throw this.getRpcError(payload, { id: 1, error: { code: -32000, message } })
      }
    }
    const { provider, signer } = await open(Refusing)
    const send = (value: bigint) => signer.sendTransaction({ nonce: 0, to, value })
    await expect(send(6n)).rejects.toThrow('balance')
    await expect(send(5n)).resolves.toBeDefined()
    provider.destroy()
  })

  test('behavior: an accepted transaction is no rejection when it cannot be looked up', async () => {
    class Blind extends JsonRpcProvider {
      override async send(method: string, params: unknown[] | Record<string, unknown>) {
        if (method === 'eth_getTransactionByHash') throw new Error('the connection closed')
        return super.send(method, params) as Promise<unknown>
      }
    }
    const { provider, signer } = await open(Blind)
    const response = await signer.sendTransaction({ to, value: 5n })
    expect(response).toMatchObject({ from: signer.address, nonce: 0, value: 5n })
    expect(response.to?.toLowerCase()).toBe(to.toLowerCase())
    expect((await response.wait())?.status).toBe(1)
    provider.destroy()
  })

  test('behavior: an accepted transaction whose answer is lost is sent again with the same bytes', async () => {
    const sent: unknown[] = []
    class Losing extends JsonRpcProvider {
      override async send(method: string, params: unknown[] | Record<string, unknown>) {
        const answer: unknown = await super.send(method, params)
        if (method === 'eth_sendRawTransaction' && sent.push(...(params as unknown[])) < 3)
          throw new Error('the connection closed')
        return answer
      }
    }
    const { key, provider, signer } = await open(Losing)
    const amount = await paid(key, () => signer.sendTransaction({ to, value: 5n }))
    expect(sent).toHaveLength(3)
    expect(new Set(sent).size).toBe(1)
    expect(amount).toBe(5n)
    provider.destroy()
  })
})
