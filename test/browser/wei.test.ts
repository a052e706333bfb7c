import type { Browser, Page } from 'playwright-core'
import type { Hash } from 'viem'
import { encodeDeployData } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { artifacts } from '../support/recordedChain.ts'
import { hasChromium, launchChromium, WALLET } from './chromium.ts'

/** 1.5 coins in wei. */
const VALUE = '0x14d1120d7b160000'

describe.skipIf(!hasChromium)('a chain with 18 decimals in Chromium', () => {
  let browser: Browser
  let dev: DevGateway
  let hash: Hash

  beforeAll(async () => {
    dev = await startDevGateway({ rules: { decimals: 18 } })
    hash = (await dev.rpc('eth_sendTransaction', {
      from: dev.accountOf(0),
      to: dev.accountOf(1),
      value: VALUE,
    })) as Hash
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    await dev?.close()
  })

  async function open(path: string): Promise<Page> {
    const page = await browser.newPage()
    await page.addInitScript(WALLET)
    await page.goto(dev.url + path)
    await page.locator('main h1').waitFor()
    return page
  }

  const balanceOf = async (address: string) =>
    BigInt((await dev.rpc('eth_getBalance', address, 'latest')) as string)

  test('default: amounts of home, block, transaction and address', async () => {
    const { blockNumber } = (await dev.rpc('eth_getTransactionByHash', hash)) as {
      blockNumber: string
    }
    const { effectiveGasPrice, gasUsed } = (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      effectiveGasPrice: string
      gasUsed: string
    }
    const fee = `${Number(BigInt(effectiveGasPrice) * BigInt(gasUsed)) / 1e18} coins`
    const shown: [path: string, selector: string, text: string][] = [
      ['/', '.list .amount', '1.5 coins'],
      [`/block/${Number(blockNumber)}`, 'td.main', '1.5 coins'],
      [`/block/${Number(blockNumber)}`, '.facts dd', fee],
      [`/tx/${hash}`, '.sentence', 'transferred 1.5 coins to'],
      [`/tx/${hash}`, '.facts dd', fee],
      [`/address/${dev.accountOf(1)}`, '.facts dd', '10,001.5 coins'],
    ]
    for (const [path, selector, text] of shown) {
      const page = await open(path)
      await page.locator(selector, { hasText: text }).first().waitFor()
      expect(await page.locator('main').innerText()).not.toContain('sun')
      await page.close()
    }
  })

  test('behavior: a write with a wallet sends the coins that were typed', async () => {
    const { abi, bytecode } = artifacts.Kitchen
    const created = (await dev.rpc('eth_sendTransaction', {
      from: dev.accountOf(0),
      data: encodeDeployData({ abi, bytecode: `0x${bytecode.replace('0x', '')}` } as never),
      gas: '0x989680',
    })) as Hash
    const { contractAddress } = (await dev.rpc('eth_getTransactionReceipt', created)) as {
      contractAddress: string
    }
    const page = await open(`/address/${contractAddress}?tab=contract`)
    await page.getByText('Use another ABI').click()
    await page.getByLabel('ABI as JSON').fill(JSON.stringify(abi))
    await page.getByRole('button', { name: 'Show its functions' }).click()
    const form = page.locator('form:has([aria-label="Write pay"])')
    await form.locator('summary').click()
    await form.locator('[name="coins"]').fill('0.25')
    await form.getByRole('button', { name: 'Write' }).click()
    await form.locator('.badge', { hasText: 'success' }).waitFor()
    expect(await balanceOf(contractAddress)).toBe(25n * 10n ** 16n)
    await page.close()
  })

  test('behavior: the faucet adds whole coins', async () => {
    const address = `0x${'5'.repeat(40)}`
    const page = await open('/connect')
    await page.getByLabel('Address', { exact: true }).fill(address)
    await page.getByLabel('Coins', { exact: true }).fill('7')
    await page.getByRole('button', { name: 'Add coins' }).click()
    await page.getByText('anvil_setBalance').waitFor()
    expect(await balanceOf(address)).toBe(7n * 10n ** 18n)
    await page.close()
  })

  test('behavior: wallets and programs are told 18 decimals', async () => {
    const page = await open('/connect')
    expect(await page.locator('main').innerText()).toContain('one coin is 10^18 wei')
    expect(await page.locator('.snippet').first().innerText()).toContain('decimals: 18 }')
    await page.getByRole('button', { name: 'Add to Test Wallet' }).click()
    await page.getByText('Test Wallet now uses this chain.').waitFor()
    expect(await page.evaluate('asked[0].params[0].nativeCurrency.decimals')).toBe(18)
    await page.close()
  })
})
