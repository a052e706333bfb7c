import { existsSync } from 'node:fs'

import type { Browser } from 'playwright-core'

/** Debian’s Chromium; CHROMIUM names another one. */
const PROGRAM = process.env['CHROMIUM'] ?? '/usr/bin/chromium'

/** Whether there is a browser to test with. */
export const hasChromium = existsSync(PROGRAM)

/**
 * Starts headless Chromium. It connects only to the addresses that a test opens. Its package is loaded here, because `npm test` reads files
 * of `test:tools` without it.
 */
export async function launchChromium(): Promise<Browser> {
  const { chromium } = await import('playwright-core')
  return chromium.launch({
    executablePath: PROGRAM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A wallet extension that announces itself, keeps what it is asked, and sends with the accounts of the chain. */
export const WALLET = `
  globalThis.asked = []
  const rpc = async (method, params) =>
    (await (await fetch('/wei', { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })).json()).result
  const provider = {
    request: async (call) => {
      asked.push(call)
      if (call.method === 'eth_requestAccounts') return rpc('eth_accounts', [])
      return call.method === 'eth_sendTransaction' ? rpc(call.method, call.params) : null
    },
  }
  const detail = { info: { uuid: '1', name: 'Test Wallet', rdns: 'test', icon: '' }, provider }
  addEventListener('eip6963:requestProvider', () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })))
`
