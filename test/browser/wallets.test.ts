import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { toBase58Address } from '../../src/lib/address.ts'
import { signTransaction } from '../../src/native/protobuf/signature.ts'
import type { EncodableTransaction } from '../../src/native/protobuf/transaction.ts'
import { makeActivity } from '../support/activity.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { startGateway } from '../support/gateway.ts'
import { artifacts, keys, labels } from '../support/recordedChain.ts'
import { hasChromium, launchChromium, WALLET } from './chromium.ts'

/** A node that makes blocks. Without it only the development chain is tested. */
const PRODUCING = process.env['NATIVE_PRODUCING_URL']

/** How wallets of this chain show themselves to a page: announced (TIP-6963), or as variables of older versions. */
const WAYS = {
  'TIP-6963': `
    const detail = { info: { uuid: 'n', name: 'Native Test', rdns: 'test' }, provider: { request, tronWeb } }
    addEventListener('TIP6963:requestProvider', () =>
      dispatchEvent(new CustomEvent('TIP6963:announceProvider', { detail })))`,
  tron: `globalThis.tron = { request, tronWeb }`,
  tronLink: `globalThis.tronLink = { request: old, tronWeb }`,
  tronWeb: `globalThis.tronWeb = tronWeb`,
}

/** A chain with a gateway that manages no key, an account that has coins, and the contract Kitchen. */
type Place = {
  url: string
  key: string
  from: `0x${string}`
  to: `0x${string}`
  kitchen: string
  rpc: (method: string, ...params: unknown[]) => Promise<unknown>
}

describe.skipIf(!hasChromium)('native wallets in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser?.close())

  describe('on the development chain', () => {
    let place: Place
    let close: () => Promise<void>
    beforeAll(async () => {
      const dev = await startDevGateway()
      close = () => dev.close()
      const hash = await dev.rpc('eth_sendTransaction', {
        from: dev.accountOf(0),
        data: `0x${artifacts.Kitchen.bytecode.replace(/^0x/, '')}`,
      })
      const receipt = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
        contractAddress: string
      }
      place = {
        url: dev.url,
        key: dev.keyOf(1),
        from: dev.accountOf(1),
        to: dev.accountOf(2),
        kitchen: receipt.contractAddress,
        rpc: (method, ...params) => dev.rpc(method, ...params),
      }
    })
    afterAll(() => close?.())
    walk(() => place)

    test('error: a wallet that signs with another key, or another transaction', async () => {
      for (const change of [
        { key: keys.bob.pk, spoil: false },
        { key: place.key, spoil: true },
      ]) {
        const page = await connected(place, 'TIP-6963', change)
        await page.getByLabel('To', { exact: true }).fill(place.to)
        await page.getByLabel('Coins', { exact: true }).first().fill('1')
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        const answer = page.locator('#native-answer.bad')
        await answer.waitFor()
        expect(await answer.innerText()).toContain('The wallet signed another transaction')
        await page.close()
      }
    })
  })

  describe.skipIf(PRODUCING === undefined)('in front of a node', () => {
    let place: Place
    let close: () => Promise<void>
    beforeAll(async () => {
      const url = PRODUCING ?? ''
      const gateway = await startGateway({
        config: {
          upstream: url,
          upstreamSolidity: url.replace(/\d+$/, (port) => String(Number(port) + 1)),
        },
      })
      close = () => gateway.close()
      place = {
        url: gateway.url,
        key: keys.rich.pk,
        from: keys.rich.eth,
        to: keys.dave.eth,
        kitchen: `0x${labels.contracts.Kitchen.address.slice(2)}`,
        rpc: (method, ...params) => gateway.gateway.request({ method, params }),
      }
    })
    afterAll(() => close?.())
    walk(() => place)
  })

  /** A page that has a wallet. @param change - the key that signs, and whether the wallet changes what it signs */
  async function connected(
    { from, key, url }: Place,
    way: keyof typeof WAYS,
    change: { key: string; spoil: boolean } = { key, spoil: false },
  ): Promise<Page> {
    const page = await browser.newPage()
    await page.exposeFunction(
      'signNatively',
      (transaction: EncodableTransaction & { raw_data: object }) => {
        const { raw_data_hex: _, ...rest } = transaction
        return change.spoil
          ? signTransaction(
              { ...rest, raw_data: { ...transaction.raw_data, data: '00' } },
              change.key,
            )
          : signTransaction(transaction, change.key)
      },
    )
    await page.addInitScript(`{
      const tronWeb = { defaultAddress: { base58: '${toBase58Address(from)}' }, trx: { sign: (one) => signNatively(one) } }
      const request = async ({ method }) => method === 'eth_requestAccounts' ? [tronWeb.defaultAddress.base58] : null
      const old = async ({ method }) => {
        if (method === 'tron_requestAccounts') return { code: 200, message: 'ok' }
        throw new Error('unknown method')
      }
      ${WAYS[way]}
    }`)
    await page.goto(`${url}/connect`)
    const name = way === 'TIP-6963' ? 'Native Test' : 'Native wallet'
    await page.getByRole('button', { name: `Connect ${name}` }).click()
    await page.getByText(`${name} is connected`).waitFor()
    return page
  }

  /** What works on every chain. */
  function walk(of: () => Place): void {
    test.each(Object.keys(WAYS) as (keyof typeof WAYS)[])(
      'default: a wallet found by %s connects and transfers coins',
      async (way) => {
        const { rpc, to } = of()
        const balance = async () => BigInt((await rpc('eth_getBalance', to, 'latest')) as string)
        const before = await balance()
        const page = await connected(of(), way)
        await page.getByLabel('To', { exact: true }).fill(toBase58Address(to))
        await page.getByLabel('Coins', { exact: true }).first().fill('0.25')
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        await page.locator('#native-answer .badge', { hasText: 'success' }).waitFor()
        expect(await balance()).toBe(before + 250_000n)
        await page.close()
      },
    )

    test('default: a wallet writes to a contract', async () => {
      const { kitchen, url } = of()
      const page = await connected(of(), 'TIP-6963')
      await page.goto(`${url}/address/${kitchen}?tab=contract`)
      await page.getByText('Use another ABI').click()
      await page.getByLabel('ABI as JSON').fill(JSON.stringify(artifacts.Kitchen.abi))
      await page.getByRole('button', { name: 'Show its functions' }).click()
      const form = page.locator('form:has([aria-label="Write set"])')
      await form.locator('summary').click()
      const value = String(Math.floor(Math.random() * 1e9))
      await form.locator('input[name="arg"]').fill(value)
      await form.getByRole('button', { name: 'Write' }).click()
      await form.locator('output', { hasText: /Fee about .* coins/ }).waitFor()
      await form.locator('.badge', { hasText: 'success' }).waitFor()
      await page.getByRole('button', { name: 'Call n', exact: true }).click()
      const output = page.locator('output', { hasText: new RegExp(`^${value}$`) })
      await expect.poll(() => output.count()).toBe(1)
      await page.close()
    })
  }
})

describe.skipIf(!hasChromium)('wallets of Ethereum in front of a node', () => {
  let browser: Browser
  let node: DevGateway
  let token: string
  beforeAll(async () => {
    // A chain in another process is a node for a gateway.
    node = await startDevGateway()
    token = `/address/${(await makeActivity(node)).token}?tab=contract`
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await node?.close()
  })
  const inFront = (options: startGateway.Options = {}) =>
    startGateway({ config: { upstream: node.url, newRecord: true }, ...options })

  test('behavior: without managed keys the page says so, and writing is off', async () => {
    const gateway = await inFront()
    const page = await browser.newPage()
    await page.addInitScript(WALLET)
    await page.goto(`${gateway.url}/connect`)
    await page.getByText('it holds none for you').waitFor()
    await page.goto(gateway.url + token)
    await page.getByText('it holds none for you').waitFor()
    await page.getByText('This wallet cannot send here').waitFor()
    expect(await page.locator('[data-writes] [type=submit]:not([disabled])').count()).toBe(0)
    await page.close()
  })

  test('behavior: with managed keys they are named, and another account is refused before the wallet is asked', async () => {
    const gateway = await inFront({ keys: [keys.bob.pk] })
    const page = await browser.newPage()
    // The wallet of the tests has the accounts of the chain; here it has another one.
    await page.addInitScript(WALLET.replace("rpc('eth_accounts', [])", `['${keys.carol.eth}']`))
    await page.goto(gateway.url + token)
    await page.locator(`.senders a[href$="${keys.bob.eth}" i]`).waitFor()
    await page.locator('#wallet').waitFor()
    const form = page.locator('form[data-writes]').first()
    await form.locator('summary').first().click()
    for (const input of await form.locator('input[name="arg"]').all())
      await input.fill(keys.dave.eth)
    await form.getByRole('button', { name: 'Write' }).click()
    await form.getByRole('link', { name: 'How to send here' }).waitFor()
    expect(await page.evaluate<{ method: string }[]>('asked')).toMatchObject([
      { method: 'eth_requestAccounts' },
    ])
    await page.close()
  })
})
