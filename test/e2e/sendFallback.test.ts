import { FallbackProvider, JsonRpcProvider, Wallet } from 'ethers'
import { createWalletClient, fallback, type Hex, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { createDevChain, type DevChain } from '../../src/devchain/devChain.ts'
import { proxyTarget, startFaultProxy } from '../support/faultProxy.ts'
import { startGateway } from '../support/gateway.ts'

/** What the front end of a node does with a broadcast that the node accepts. */
type After = 'answers' | 'resets' | 'hangs' | 'is busy'

let after: After = 'answers'
let chain: DevChain
let urls: string[]
let from: Hex
let key: Hex
let to: Hex
const closes: (() => Promise<unknown>)[] = []

// Two gateways whose records are separate, and which have the same keys.
beforeAll(async () => {
  chain = await createDevChain({
    accounts: { balance: 20_000_000_000n },
    mining: { blockTime: 250 },
  })
  chain.automine = false
  await chain.start()
  const target = proxyTarget(chain) as Extract<ReturnType<typeof proxyTarget>, Function>
  const node = await startFaultProxy(async (request) => {
    const reply = await target(request)
    if (!request.path.startsWith('/wallet/broadcast') || after === 'answers') return reply
    if (after === 'hangs') return new Promise(() => {})
    if (after === 'resets') throw new Error('reset')
    return { status: 200, text: '{"result":false,"code":"SERVER_BUSY","message":"busy"}' }
  })
  const [first, second] = chain.accounts
  key = `0x${first?.key ?? ''}`
  from = privateKeyToAccount(key).address
  to = privateKeyToAccount(`0x${second?.key ?? ''}`).address
  const gateways = await Promise.all(
    [1, 2].map(() =>
      startGateway({ config: { dataDir: 'none', upstream: node.url }, keys: [key] }),
    ),
  )
  await Promise.all(gateways.map(({ gateway }) => gateway.ready))
  urls = gateways.map(({ url }) => url)
  closes.push(
    ...gateways.map(({ close }) => close),
    () => node.close(),
    () => chain.close(),
  )
})
afterAll(async () => {
  for (const close of closes) await close()
})

/** What `to` was paid while `pay` ran, when the chain has made some blocks more. */
async function paid(pay: () => Promise<unknown>): Promise<bigint> {
  const balance = async () => {
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getBalance',
      params: [to, 'latest'],
    })
    const response = await fetch(urls[0] ?? '', { method: 'POST', body })
    return BigInt(((await response.json()) as { result: Hex }).result)
  }
  const before = await balance()
  await pay()
  const { number } = chain.ledger.head().header
  while (chain.ledger.head().header.number < number + 8)
    await new Promise((resolve) => setTimeout(resolve, 100))
  return (await balance()) - before
}

test.each<After>(['answers', 'resets', 'is busy', 'hangs'])(
  'behavior: viem’s fallback pays once with eth_sendTransaction when the node %s',
  { timeout: 60_000 },
  async (what) => {
    after = what
    const wallet = createWalletClient({ transport: fallback(urls.map((url) => http(url))) })
    const send = () => wallet.sendTransaction({ account: from, chain: null, to, value: 7n })
    // The hash, or an error that says what is known.
    const outcome: unknown[] = []
    expect(
      await paid(() =>
        send().then(
          (hash) => outcome.push(hash),
          (error: Error) => outcome.push(error.message),
        ),
      ),
    ).toBe(7n)
    expect(outcome).toEqual([expect.stringMatching(/^0x[\da-f]{64}$|unconfirmed: transaction 0x/)])
  },
)

test('behavior: a managed signer of ethers pays once', async () => {
  after = 'resets'
  const provider = new JsonRpcProvider(urls[0], undefined, { pollingInterval: 100 })
  const signer = await provider.getSigner(from)
  let message = ''
  const amount = await paid(() =>
    signer.sendTransaction({ to, value: 7n }).catch((error: Error) => (message = error.message)),
  )
  expect({ amount, message }).toMatchObject({
    amount: 7n,
    message: expect.stringMatching(/^$|unconfirmed: transaction 0x/),
  })
  provider.destroy()
})

test('behavior: a FallbackProvider of ethers sends the same bytes to all addresses, and pays once', async () => {
  after = 'answers'
  const providers = [1, 2].map(() => new JsonRpcProvider(urls[0], undefined, { cacheTimeout: -1 }))
  const provider = new FallbackProvider(providers, undefined, { quorum: 1 })
  const wallet = new Wallet(key, provider)
  expect(await paid(() => wallet.sendTransaction({ to, value: 7n }))).toBe(7n)
  for (const each of [provider, ...providers]) await each.destroy()
})
