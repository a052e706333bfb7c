import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'

import type { Browser, Page } from 'playwright-core'
import { encodeDeployData, encodeFunctionData } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { artifacts } from '../support/recordedChain.ts'
import { hasChromium, launchChromium } from './chromium.ts'

if (!hasChromium)
  process.stdout.write('test/browser is skipped: there is no Chromium (apt-get install chromium)\n')

/** Screenshots go here when the variable is set. */
const SCREENSHOTS = process.env['SCREENSHOTS']

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

const { abi, bytecode } = artifacts.Token

/** A wallet extension that announces itself and keeps what it is asked. */
const WALLET = `
  globalThis.asked = []
  const provider = { request: async (call) => (asked.push(call), null) }
  const detail = { info: { uuid: '1', name: 'Test Wallet', rdns: 'test', icon: '' }, provider }
  addEventListener('eip6963:requestProvider', () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))
`

describe.skipIf(!hasChromium)('page in Chromium', () => {
  let browser: Browser
  let dev: DevGateway
  let paths: Record<string, string>
  let sender: string

  beforeAll(async () => {
    dev = await startDevGateway()
    sender = dev.accountOf(0)
    const receiver = dev.accountOf(1)
    const created = await send({
      data: encodeDeployData({
        abi,
        args: [1_000_000n],
        bytecode: `0x${bytecode.replace('0x', '')}`,
      }),
    })
    const moved = await send({
      to: created.contractAddress,
      data: encodeFunctionData({ abi, functionName: 'transfer', args: [receiver, 250n] }),
    })
    paths = {
      explorer: '/',
      block: `/block/${Number(moved.blockNumber)}`,
      transaction: `/tx/${moved.transactionHash}`,
      account: `/address/${receiver}`,
      contract: `/address/${created.contractAddress}`,
      console: '/console',
      connect: '/connect',
      state: '/state',
    }
    browser = await launchChromium()
    if (SCREENSHOTS) await mkdir(SCREENSHOTS, { recursive: true })
  })

  afterAll(async () => {
    await browser?.close()
    await dev?.close()
  })

  async function send(transaction: object) {
    const hash = await dev.rpc('eth_sendTransaction', { from: sender, ...transaction })
    return (await dev.rpc('eth_getTransactionReceipt', hash)) as {
      blockNumber: string
      contractAddress: string
      transactionHash: string
    }
  }

  /** Opens a page and collects what the browser complains about: script errors and policy violations. */
  async function open(path: string, look: (typeof LOOKS)[number] = LOOKS[0]) {
    const page = await browser.newPage({ colorScheme: look.colorScheme, viewport: look.viewport })
    const complaints: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(dev.url + path)
    await page.locator('main h1').waitFor()
    return { page, complaints }
  }

  async function violations(page: Page): Promise<string[]> {
    // The strict policy of the page holds for scripts of the page; this one is injected by the driver.
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setBypassCSP', { enabled: true })
    await page.reload()
    await page.locator('main h1').waitFor()
    await page.addScriptTag({ path: AXE })
    return page.evaluate(async () => {
      const { axe } = globalThis as unknown as {
        axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
      }
      const found = await axe.run()
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
    })
  }

  for (const look of LOOKS)
    for (const name of [
      'explorer',
      'block',
      'transaction',
      'account',
      'contract',
      'console',
      'connect',
      'state',
    ])
      test(`default: ${name} in ${look.name} has no error, no violation and fits the screen`, async () => {
        const { complaints, page } = await open(paths[name] ?? '', look)
        if (name === 'console') await page.locator('#console').waitFor({ state: 'visible' })
        if (SCREENSHOTS) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${look.name}.png` })
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect(overflow).toBeLessThanOrEqual(0)
        expect(complaints).toEqual([])
        expect(await violations(page)).toEqual([])
        await page.close()
      })

  test('behavior: a new block shows on the explorer without a reload', async () => {
    const { page } = await open('/')
    const head = (await dev.rpc('eth_blockNumber')) as string
    await dev.rpc('evm_mine')
    const link = page.getByRole('link', { name: String(Number(head) + 1), exact: true })
    await link.waitFor()
    expect(await link.getAttribute('href')).toBe(`/block/${Number(head) + 1}`)
    await page.close()
  })

  test('behavior: search leads to the transaction', async () => {
    const { page } = await open('/')
    await page.getByRole('searchbox').fill((paths['transaction'] ?? '').slice('/tx/'.length))
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(`**${paths['transaction']}`)
    expect(await page.locator('h1').innerText()).toContain('Transaction')
    await page.close()
  })

  test('behavior: the console sends a call and shows answer, native calls and code', async () => {
    const { page } = await open('/console#eth_getBalance')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#readable td', { hasText: 'coins' }).waitFor()
    await page.getByLabel('Method', { exact: true }).selectOption('net_peerCount')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#native-calls td', { hasText: 'getnodeinfo' }).first().waitFor()
    expect(await page.locator('#code').innerText()).toContain('provider.send')
    await page.close()
  })

  test('behavior: a wallet found by EIP-6963 is asked to add the chain', async () => {
    const page = await browser.newPage()
    await page.addInitScript(WALLET)
    await page.goto(`${dev.url}/connect`)
    await page.getByRole('button', { name: 'Add to Test Wallet' }).click()
    await page.getByText('Test Wallet now uses this chain.').waitFor()
    const asked = await page.evaluate<unknown[]>('asked')
    expect(asked).toMatchObject([
      {
        method: 'wallet_addEthereumChain',
        params: [{ chainId: `0x${dev.chain.chainId.toString(16)}`, rpcUrls: [`${dev.url}/wei`] }],
      },
    ])
    await page.close()
  })

  test('behavior: the faucet adds coins on the dev chain', async () => {
    const { page } = await open('/connect')
    const address = `0x${'5'.repeat(40)}`
    await page.getByLabel('Address', { exact: true }).fill(address)
    await page.getByLabel('Coins', { exact: true }).fill('7')
    await page.getByRole('button', { name: 'Add coins' }).click()
    await page.getByText('anvil_setBalance').waitFor()
    expect(BigInt((await dev.rpc('eth_getBalance', address, 'latest')) as string)).toBe(7_000_000n)
    await page.close()
  })
})
