import { mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type Activity, makeActivity } from '../support/activity.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { artifacts } from '../support/recordedChain.ts'
import { hasChromium, launchChromium, WALLET } from './chromium.ts'

if (!hasChromium)
  process.stdout.write('test/browser is skipped: there is no Chromium (apt-get install chromium)\n')

/** Screenshots go here when the variable is set. */
const SCREENSHOTS = process.env['SCREENSHOTS']

const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'tablet', colorScheme: 'light', viewport: { width: 820, height: 1180 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const

const VIEWS: readonly (readonly [name: string, path: (seen: Activity, alice: string) => string])[] =
  [
    ['explorer', () => '/'],
    ['block', () => '/block/5'],
    ['transaction', ({ transfer }) => `/tx/${transfer}`],
    ['failed', ({ customError }) => `/tx/${customError}`],
    ['calls', ({ calls }) => `/tx/${calls}`],
    ['logs', ({ manyLogs }) => `/tx/${manyLogs}`],
    ['unknown', () => `/tx/0x${'1'.repeat(64)}`],
    ['account', (_, alice) => `/address/${alice}`],
    ['transfers', (_, alice) => `/address/${alice}?tab=transfers`],
    ['tokens', (_, alice) => `/address/${alice}?tab=tokens`],
    ['resources', (_, alice) => `/address/${alice}?tab=account`],
    ['events', ({ token }) => `/address/${token}?tab=events`],
    ['contract', ({ token }) => `/address/${token}?tab=contract`],
    ['nothing', () => '/search?q=nothing-like-this'],
    ['console', () => '/console'],
    ['connect', () => '/connect'],
    ['state', () => '/state'],
  ]

/** A field of the console as it is sent: JSON, otherwise text. */
function asParameter(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

describe.skipIf(!hasChromium)('page in Chromium', () => {
  let browser: Browser
  let dev: DevGateway
  let seen: Activity

  beforeAll(async () => {
    dev = await startDevGateway()
    seen = await makeActivity(dev)
    browser = await launchChromium()
    if (SCREENSHOTS) await mkdir(SCREENSHOTS, { recursive: true })
  })

  afterAll(async () => {
    await browser?.close()
    await dev?.close()
  })

  /** Opens a page and collects what the browser complains about: script errors and policy violations. */
  async function open(path: string, look: (typeof LOOKS)[number] = LOOKS[0]) {
    const page = await browser.newPage({ colorScheme: look.colorScheme, viewport: look.viewport })
    const complaints: string[] = []
    page.on('console', (message) => {
      const isMissing = message.text().includes('status of 404')
      if (message.type() === 'error' && !isMissing) complaints.push(message.text())
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
    for (const [name, path] of VIEWS)
      test(`default: ${name} in ${look.name} has no error, no violation and fits the screen`, async () => {
        const { complaints, page } = await open(path(seen, dev.accountOf(0)), look)
        if (name === 'console') await page.locator('#console').waitFor({ state: 'visible' })
        if (SCREENSHOTS)
          await page.screenshot({
            path: `${SCREENSHOTS}/${name}-${look.name}.png`,
            fullPage: true,
          })
        const overflow = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        expect(overflow).toBeLessThanOrEqual(0)
        // A table hides what is wider than the screen.
        const cut = await page.evaluate<string[]>(
          `[...document.querySelectorAll('main td *')]
            .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth)
            .map(({ outerHTML }) => outerHTML)`,
        )
        expect(cut).toEqual([])
        expect(complaints).toEqual([])
        expect(await violations(page)).toEqual([])
        await page.close()
      })

  test('behavior: a new block shows on the explorer without a reload', async () => {
    const { page } = await open('/')
    const head = (await dev.rpc('eth_blockNumber')) as string
    await dev.rpc('evm_mine')
    const link = page.locator(`.list a[href="/block/${Number(head) + 1}"]`).first()
    await expect.poll(() => link.isVisible(), { timeout: 20_000 }).toBe(true)
    await page.close()
  })

  test('behavior: on a phone the finality of a block stands beside it', async () => {
    const { page } = await open(
      '/',
      LOOKS.find(({ name }) => name === 'phone'),
    )
    const row = page.locator('.list li', { hasText: 'not final' }).first()
    const [badge, facts] = await Promise.all(
      ['.badge', '.grow'].map((part) => row.locator(part).boundingBox()),
    )
    expect(badge?.y).toBeLessThan((facts?.y ?? 0) + (facts?.height ?? 0))
    await page.close()
  })

  test('behavior: search leads to the transaction', async () => {
    const { page } = await open('/')
    await page.getByRole('searchbox').fill(seen.transfer)
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(`**/tx/${seen.transfer}`)
    expect(await page.locator('h1').innerText()).toMatch(/ succeeded 0x/)
    await page.close()
  })

  test('behavior: the console sends a call and shows answer, native calls and code', async () => {
    const { page } = await open('/console#eth_getBalance')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#readable td', { hasText: 'coins' }).waitFor()
    await page.getByLabel(/^Filter/).fill('peer')
    await page.getByRole('link', { name: 'net_peerCount' }).click()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.locator('#native-calls td', { hasText: 'getnodeinfo' }).first().waitFor()
    const code = await page.locator('#code').innerText()
    expect(code).toContain('provider.send')
    // Without it ethers signs twice with one nonce on a chain that mines at once.
    expect(code).toContain('cacheTimeout: -1')
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
    await page.locator('#faucet-coins').fill('7')
    await page.getByRole('button', { name: 'Add coins' }).click()
    await page.getByText('anvil_setBalance').waitFor()
    expect(BigInt((await dev.rpc('eth_getBalance', address, 'latest')) as string)).toBe(7_000_000n)
    await page.close()
  })

  test('behavior: the solidified block on the explorer moves', async () => {
    const { page } = await open('/')
    const shown = page.locator('.figures dd').nth(1)
    const before = await shown.innerText()
    for (let count = 0; count < 4; count++) await dev.rpc('evm_mine')
    await expect.poll(() => shown.innerText(), { timeout: 20_000 }).not.toBe(before)
    await page.close()
  })

  test('behavior: switches show native addresses and exact times everywhere, and are kept', async () => {
    const { page } = await open('/')
    await page.getByRole('button', { name: 'Addresses as T…' }).click()
    await page.getByRole('button', { name: 'Exact times' }).click()
    await page.reload()
    const address = page.locator('.list .address a:has(.is-native)').first()
    expect(await address.innerText()).toMatch(/^T/)
    await page.locator('.list time', { hasText: ' UTC' }).first().waitFor()
    await page.close()
  })

  test('behavior: relative times advance, and the exact one is in the title', async () => {
    const { page } = await open('/')
    const time = page.locator('.list time').first()
    expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/)
    // A minute later the clock of the browser says so without a reload.
    const [, at = '0'] = /data-at="(\d+)"/.exec(await time.innerHTML()) ?? []
    await page.evaluate(`Date.now = () => ${Number(at) * 1_000 + 7_200_000}`)
    await expect.poll(() => time.innerText(), { timeout: 20_000 }).toBe('2 h ago')
    await page.close()
  })

  test('behavior: / leads to the search, copy buttons copy, a table is saved as CSV', async () => {
    const page = await browser.newPage({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.goto(`${dev.url}/address/${dev.accountOf(1)}?tab=transfers`)
    await page.keyboard.press('/')
    expect(await page.evaluate<string>('document.activeElement.id')).toBe('search')
    await page.getByRole('button', { name: 'Copy native address' }).click()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toMatch(/^T\w{33}$/)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const text = await readFile(await (await saved).path(), 'utf8')
    expect(text).toContain(`"${seen.transfer}"`)
    expect(text).toContain('"250 TUSD"')
    await page.close()
  })

  test('behavior: read functions answer in place and keep earlier answers', async () => {
    const { page } = await open(`/address/${seen.token}?tab=contract`)
    await page.getByRole('button', { name: 'Call symbol' }).click()
    await page.getByRole('button', { name: 'Call name' }).click()
    await page.locator('output', { hasText: 'Test Dollar' }).waitFor()
    expect(await page.locator('output', { hasText: /^TUSD$/ }).count()).toBe(1)
    await page.locator('output', { hasText: '1000000000000 = 1,000,000 “TUSD”' }).waitFor()
    await page.close()
  })

  test('behavior: a button turns units of a token into the smallest one', async () => {
    const { page } = await open(`/address/${seen.token}?tab=contract`)
    const form = page.locator('form:has([aria-label="Write approve"])')
    await form.locator('summary').click()
    const amount = form.locator('input[name="arg"]').nth(1)
    const times = form.getByRole('button', { name: 'Multiply by 10 to the power of 6' })
    for (const [given, expected] of [
      ['1.5', '1500000'],
      ['0.0000001', '0.0000001'],
      ['text', 'text'],
    ] as const) {
      await amount.fill(given)
      await times.click()
      expect(await amount.inputValue()).toBe(expected)
    }
    await page.close()
  })

  test('behavior: a pasted ABI is kept, and a wallet writes with it', async () => {
    const page = await browser.newPage()
    await page.addInitScript(WALLET)
    await page.goto(`${dev.url}/address/${seen.kitchen}?tab=contract`)
    await page.getByText('Use another ABI').click()
    await page.getByLabel('ABI as JSON').fill(JSON.stringify(artifacts.Kitchen.abi))
    await page.getByRole('button', { name: 'Show its functions' }).click()
    await page.locator('summary', { hasText: 'set' }).first().waitFor()
    await page.reload()
    const form = page.locator('form:has([aria-label="Write set"])')
    await form.locator('summary').click()
    await form.locator('input[name="arg"]').fill('42')
    await form.getByRole('button', { name: 'Write' }).click()
    await form.locator('output', { hasText: /Fee about .* coins.*; safe fee limit / }).waitFor()
    await form.locator('.badge', { hasText: 'success' }).waitFor()
    // The wallet is asked to send with the fee limit that the page shows.
    const text = await form.locator('output').innerText()
    const [, limit = ''] = /safe fee limit (.*?) coins/.exec(text) ?? []
    const [, hash = ''] = /Sent: (0x\w+)/.exec(text) ?? []
    expect(await (await fetch(`${dev.url}/tx/${hash}`)).text()).toMatch(
      new RegExp(`limit: <span[^>]*>${limit} coins<`),
    )
    await page.getByRole('button', { name: 'Call n', exact: true }).click()
    const output = page.locator('output', { hasText: /^42$/ })
    await expect.poll(() => output.count()).toBe(1)
    await page.close()
  })

  test.each(['a fresh chain', 'a chain with transactions'])(
    'behavior: on %s no example of the console fails, and none is null',
    async (which) => {
      const own = which === 'a fresh chain' ? await startDevGateway() : dev
      const page = await browser.newPage()
      await page.goto(`${own.url}/console`)
      await page.locator('#console').waitFor()
      const names = await page.evaluate<string[]>(
        "[...document.querySelectorAll('.methods a')].map(({ textContent }) => textContent.trim())",
      )
      const failed: string[] = []
      let called = 0
      // What changes a chain is undone; what cannot be undone comes last.
      for (const name of names.toSorted(
        (a, b) => Number(a.endsWith('reset')) - Number(b.endsWith('reset')),
      )) {
        await page.evaluate(`location.hash = "${name}"`)
        await page.locator('#method', { hasText: new RegExp(`^${name}$`) }).waitFor()
        const inputs = await page.evaluate<{ value: string; required: boolean }[]>(
          "[...document.querySelectorAll('#params input')].map(({ value, required }) => ({ value, required }))",
        )
        if (inputs.some(({ required, value }) => required && value === '')) {
          if (!(await page.locator('#missing').isVisible())) failed.push(`${name}: no hint`)
          continue
        }
        const params = inputs.map(({ value }) => value).filter((value) => value !== '')
        const snapshot = await own.rpc('evm_snapshot')
        const answer = await own
          .rpc(name, ...params.map(asParameter))
          .catch((error: Error) => error)
        if (answer instanceof Error) failed.push(`${name} ${params.join(' ')}: ${answer.message}`)
        // A command of a development chain answers null, and no block has an uncle.
        else if (answer === null && !/^(anvil|hardhat|evm|tenderly)_|Uncle/.test(name))
          failed.push(`${name} ${params.join(' ')}: null`)
        await own.rpc('evm_revert', snapshot)
        called += 1
      }
      expect(failed).toEqual([])
      expect(called).toBeGreaterThan(120)
      await page.close()
      if (own !== dev) await own.close()
    },
    120_000,
  )

  test('behavior: a link of the console carries the request', async () => {
    const address = dev.accountOf(7)
    const { page } = await open(
      `/console#eth_getBalance=${encodeURIComponent(JSON.stringify([address, 'latest']))}`,
    )
    expect(await page.locator('#params input').first().inputValue()).toBe(address)
    await page.close()
  })

  test('behavior: a hostile ABI runs nothing', async () => {
    const { complaints, page } = await open(`/address/${seen.kitchen}?tab=contract`)
    const evil = '"><img src=x onerror=alert(1)>'
    const abi = [
      { type: 'function', name: 'f', inputs: [{ name: evil, type: 'uint256' }], outputs: [] },
    ]
    await page.getByText('Use another ABI').click()
    await page.getByLabel('ABI as JSON').fill(JSON.stringify(abi))
    await page.getByRole('button', { name: 'Show its functions' }).click()
    await page.locator('#functions summary', { hasText: 'f' }).click()
    await page.getByRole('button', { name: 'Write f' }).waitFor()
    expect(await page.locator('#functions img').count()).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('behavior: without JavaScript the pages show facts and no dead controls', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${dev.url}/address/${seen.token}?call=symbol()`)
    expect(await page.locator('output', { hasText: 'TUSD' }).count()).toBe(1)
    expect(await page.locator('button.copy:visible, [data-switch]:visible').count()).toBe(0)
    await context.close()
  })
})
