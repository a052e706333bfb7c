import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { hasChromium, launchChromium } from '../browser/chromium.ts'
import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { freePort } from '../support/freePort.ts'
import { until } from '../support/until.ts'
import { wanted } from './project.ts'

/** docs/tutorial.md, step by step: its commands and files in an empty folder, and its page in Chromium with a wallet. */

const run = promisify(execFile)
const page = readFileSync(new URL('../../docs/tutorial.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text.trim())
const files = [...page.matchAll(/Save this as `([^`]+)`[^`]*```\w+\n([\s\S]*?)```/g)]

/** A wallet extension whose accounts are those of the chain. */
const WALLET = (url: string) => `
  window.ethereum = {
    request: async ({ method, params = [] }) => {
      if (method === 'wallet_addEthereumChain' || method === 'wallet_switchEthereumChain') return null
      const name = method === 'eth_requestAccounts' ? 'eth_accounts' : method
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params })
      const { error, result } = await (await fetch('${url}', { method: 'POST', body })).json()
      if (error) throw new Error(error.message)
      return result
    },
  }
`

describe.runIf(wanted)('the tutorial', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-tutorial-'))
  let browser: Awaited<ReturnType<typeof launchChromium>> | undefined
  let dev: DevGateway
  let server: ChildProcess | undefined

  beforeAll(async () => {
    dev = await startDevGateway({ rules: { decimals: 18 } })
  })
  afterAll(async () => {
    await browser?.close()
    // The process of npx and the server that it started.
    if (server?.pid !== undefined && server.exitCode === null) process.kill(-server.pid)
    await dev?.close()
    rmSync(folder, { force: true, recursive: true })
  })

  /** Its texts with the address of the chain of this test. */
  const here = (text: string) => text.replaceAll('http://127.0.0.1:8545', dev.url)

  test('default: the steps end with a token that a wallet has sent', async () => {
    const [start, prepare = '', deploy = '', serve = ''] = commands
    expect(start).toBe('ethgate dev --decimals 18')
    expect(files.map(([, name]) => name)).toEqual([
      'Token.sol',
      'deploy.mjs',
      'index.html',
      'app.js',
    ])
    await run('bash', ['-ec', prepare], { cwd: folder, maxBuffer: 2 ** 26 })
    for (const [, name = '', text = ''] of files) writeFileSync(join(folder, name), here(text))
    const { stdout } = await run('bash', ['-ec', deploy], { cwd: folder })
    expect(stdout).toMatch(/^Token at 0x[\da-f]{40}$/m)

    if (!hasChromium) return process.stdout.write('the page of the tutorial: no Chromium\n')
    const port = await freePort()
    const command = serve.replace('127.0.0.1:8000', `127.0.0.1:${port}`)
    expect(command).not.toBe(serve)
    // esbuild ends when its standard input does.
    server = spawn('bash', ['-c', command], {
      cwd: folder,
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const url = `http://127.0.0.1:${port}`
    await until(async () => expect((await fetch(`${url}/bundle.js`)).ok).toBe(true))
    browser = await launchChromium()
    const view = await browser.newPage()
    await view.addInitScript(WALLET(dev.url))
    await view.goto(url)
    const text = (id: string) => view.locator(`#${id}`).textContent()
    await until(async () => expect(await text('supply')).toBe('1000000'))
    await view.click('#connect')
    await until(async () => expect(await text('balance')).toBe('1000000'))
    await view.fill('[name=to]', '0x70997970c51812dc3a010c7d01b50e0d17dc79c8')
    await view.click('form button')
    await until(async () => expect(await text('balance')).toBe('999995'))
    expect(await text('state')).toMatch(/^success in block \d+$/)
    return undefined
  }, 600_000)
})
