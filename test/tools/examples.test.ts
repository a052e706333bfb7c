import { spawn } from 'node:child_process'
import { once } from 'node:events'

import type { Hash, Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { openProject, type Project, wanted } from './project.ts'

/** A contract that logs a transfer of 5 to 0x…aa at each call. */
const RUNTIME =
  '600560005260aa60bb7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300'
const TOKEN: Hex = `0x603080600b6000396000f3${RUNTIME}`

describe.runIf(wanted)('examples', () => {
  let dev: DevGateway
  let contract: Hex

  beforeAll(async () => {
    dev = await startDevGateway()
    const from = dev.accountOf(0)
    const hash = await dev.rpc('eth_sendTransaction', { from, data: TOKEN })
    const receipt = await dev.rpc('eth_getTransactionReceipt', hash)
    contract = (receipt as { contractAddress: Hex }).contractAddress
  })

  afterAll(() => dev.close())

  const pay = () =>
    dev.rpc('eth_sendTransaction', { from: dev.accountOf(0), to: contract }) as Promise<Hash>

  /** Starts a program that ends only when it is stopped. */
  function start(project: Project, file: string, env: Record<string, string>) {
    const child = spawn(process.execPath, [file], {
      cwd: project.cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let printed = ''
    child.stdout.on('data', (text: Buffer) => (printed += text.toString()))
    const stop = async () => {
      if (child.kill()) await once(child, 'exit')
    }
    onTestFinished(stop)
    return { lines: () => printed.trim().split('\n'), stop }
  }

  test.for(['viem', 'ethers'])(
    'behavior: the script of %s sends a coin',
    { timeout: 600_000 },
    async (name) => {
      const project = await openProject(name)
      const printed = await project.node(['transfer.mjs'], { RPC_URL: dev.url })
      expect(printed).toMatch(/^success.* received 1000000$/m)
    },
  )

  test('behavior: curl gets an answer to each request', { timeout: 600_000 }, async () => {
    const project = await openProject('curl')
    const printed = await project.run('bash', ['requests.sh'], { RPC_URL: dev.url })
    expect(printed.match(/"result":/g)).toHaveLength(4)
  })

  test('behavior: the payment watcher writes each payment once, also after a restart', async () => {
    const project = await openProject('payments')
    const env = { RPC_URL: dev.url, TOKEN: contract }
    const first = start(project, 'watch.mjs', env)
    await pay()
    await expect.poll(first.lines).toContain('1 payments')
    await first.stop()
    await pay()
    const again = start(project, 'watch.mjs', env)
    await expect.poll(again.lines).toEqual(['2 payments'])
  })

  test('behavior: the bot prints what it missed', { timeout: 600_000 }, async () => {
    const project = await openProject('logs')
    const env = { CONTRACT: contract, WS_URL: `${dev.url.replace('http', 'ws')}/ws` }
    const first = start(project, 'follow.mjs', env)
    await expect.poll(() => first.lines()[0]).toBe('following')
    const one = await pay()
    await expect.poll(first.lines).toEqual(['following', `log ${one} 0x0`])
    await first.stop()
    const two = await pay()
    const again = start(project, 'follow.mjs', env)
    await expect.poll(again.lines).toEqual(['following', `log ${two} 0x0`])
    const three = await pay()
    await expect.poll(again.lines).toHaveLength(3)
    expect(again.lines()[2]).toContain(three)
  })
})
