import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { hasChromium, launchChromium } from '../browser/chromium.ts'
import { startDevGateway } from '../support/devGateway.ts'
import { serveInTest } from '../support/serve.ts'
import { openProject, wanted } from './project.ts'

if (wanted && !hasChromium)
  process.stderr.write('skipped: the page of React needs Chromium (apt-get install chromium)\n')

const TYPES: Record<string, string> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
}

/** Serves a folder. Returns its address. */
function serveFolder(folder: string): Promise<string> {
  return serveInTest(({ url = '/' }, response) => {
    const file = join(folder, url === '/' ? 'index.html' : url)
    if (existsSync(file)) {
      response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
      response.end(readFileSync(file))
    } else response.writeHead(404).end()
  })
}

/** A wallet whose accounts the chain holds: what a page sees of MetaMask. */
const WALLET = (url: string) => `
  let id = 0
  window.ethereum = {
    on() {},
    removeListener() {},
    async request({ method, params = [] }) {
      const known = method === 'eth_requestAccounts' ? 'eth_accounts' : method
      if (known.startsWith('wallet_')) throw Object.assign(new Error('not supported'), { code: 4200 })
      const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method: known, params })
      const response = await fetch('${url}/wei', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      const { error, result } = await response.json()
      if (error) throw Object.assign(new Error(error.message), { code: error.code })
      return result
    },
  }
`

describe.runIf(wanted && hasChromium)('React page', () => {
  test(
    'behavior: a button connects the wallet, another one sends a coin',
    { timeout: 600_000 },
    async () => {
      const dev = await startDevGateway()
      onTestFinished(() => dev.close())
      const project = await openProject('react')
      await project.run('vite', ['build'], { NODE_ENV: 'production', VITE_RPC_URL: dev.url })
      const browser = await launchChromium()
      onTestFinished(() => browser.close())
      const page = await browser.newPage()
      await page.addInitScript(WALLET(dev.url))
      await page.goto(await serveFolder(join(project.cwd, 'dist')))
      await page.getByRole('button', { name: 'Connect wallet' }).click()
      const { address } = dev.chain.accounts[0] ?? { address: '' }
      await page.getByText(new RegExp(`^0x${address.slice(2)} has 10000 coins$`, 'i')).waitFor()
      await page.getByRole('button', { name: 'Send one coin' }).click()
      await page.getByRole('status').filter({ hasText: 'success' }).waitFor()
      const received = await dev.rpc(
        'eth_getBalance',
        '0x00000000000000000000000000000000000000aa',
        'latest',
      )
      expect(received).toBe('0xf4240')
    },
  )
})
