import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Hash, Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'
import { freePort } from '../support/freePort.ts'
import { hasJava } from './java.ts'
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
  function start(
    project: Project,
    file: string,
    env: Record<string, string>,
    args: readonly string[] = [],
  ) {
    const child = spawn(process.execPath, [file, ...args], {
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

  test.for([
    ['payments', 'watch.mjs', 'TOKEN'],
    ['logs', 'follow.mjs', 'CONTRACT'],
    ['subsquid', 'processor.mjs', 'TOKEN'],
  ] as const)(
    'error: %s without an address',
    { timeout: 600_000 },
    async ([name, file, variable]) => {
      const { cwd } = await openProject(name)
      const options = { cwd, encoding: 'utf8', timeout: 60_000 } as const
      const { status, stderr } = spawnSync(process.execPath, [file], options)
      expect(status).toBe(1)
      expect(stderr).toContain(`${variable} is missing`)
    },
  )

  test('behavior: TronBox compiles, migrates and tests', { timeout: 600_000 }, async () => {
    const project = await openProject('tronbox')
    // As `ethgate dev`: with one producer a block is solidified at once, and TronBox waits for that.
    const own = await startDevGateway({ rules: { producers: 1 } })
    try {
      const printed = await project.run('npm', ['test'], {
        HOME: project.cwd,
        NODE_URL: own.url,
      })
      expect(printed).toMatch(/^ *6 passing/m)
    } finally {
      await own.close()
    }
  })

  test('behavior: two of three owners spend from an account', { timeout: 600_000 }, async () => {
    const project = await openProject('multisig')
    const printed = await project.node(['multisig.mjs'], { RPC_URL: dev.url })
    expect(printed.split('\n').slice(1, 4)).toEqual([
      'one signature: NOT_ENOUGH_PERMISSION',
      'sent with one signature: SIGERROR',
      'sent with two signatures: success',
    ])
  })

  test('behavior: the calls of graph-node have the answers that it relies on', async () => {
    const project = await openProject('graph-node')
    await pay()
    const printed = await project.node(['replay.mjs'], { RPC_URL: dev.url })
    expect(printed).toMatch(/^14 calls: graph-node can index this chain$/m)
  })

  test.runIf(hasJava)('behavior: web3j sends a coin', { timeout: 600_000 }, async () => {
    const project = await openProject('web3j')
    const args = ['--quiet', '--batch-mode', 'compile', 'exec:java']
    const printed = await project.run('mvn', args, { RPC_URL: dev.url })
    expect(printed).toMatch(/0x1 in block \d+: .* received 1000000$/m)
    expect(printed).toMatch(/have \d+ logs$/m)
  })

  test(
    'behavior: ponder indexes the transfers of a token, and follows',
    { timeout: 600_000 },
    async () => {
      const project = await openProject('ponder')
      await pay()
      const port = await freePort()
      const env = { CI: '1', PONDER_TELEMETRY_DISABLED: '1', RPC_URL: dev.url, TOKEN: contract }
      const program = 'node_modules/ponder/dist/esm/bin/ponder.js'
      start(project, program, env, ['dev', '--disable-ui', '--port', `${port}`])
      const body = JSON.stringify({ query: '{ accounts { items { received transfers } } }' })
      const headers = { 'content-type': 'application/json' }
      const indexed = async () => {
        const options = { method: 'POST', headers, body }
        const answer = await fetch(`http://127.0.0.1:${port}/graphql`, options).catch(
          () => undefined,
        )
        if (!answer?.ok) return undefined
        const { data } = (await answer.json()) as Indexed
        return data?.accounts.items[0]
      }
      const transfers = async () => (await indexed())?.transfers
      const slow = { interval: 500, timeout: 300_000 }
      const filter = { address: contract, fromBlock: 'earliest' }
      const before = ((await dev.rpc('eth_getLogs', filter)) as unknown[]).length
      await expect.poll(transfers, slow).toBe(before)
      await pay()
      await expect.poll(transfers, slow).toBe(before + 1)
      expect((await indexed())?.received).toBe(`${(before + 1) * 5}`)
    },
  )

  test('behavior: subsquid writes transfers, and follows', { timeout: 600_000 }, async () => {
    const project = await openProject('subsquid')
    const hash = await pay()
    const DATA = join(project.cwd, 'data')
    start(project, 'processor.mjs', { CONFIRMATIONS: '0', DATA, RPC_URL: dev.url, TOKEN: contract })
    const rows = () =>
      readdirSync(DATA, { recursive: true, withFileTypes: true })
        .filter(({ name }) => name === 'transfers.csv')
        .map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'utf8'))
        .join('')
    const slow = { interval: 200, timeout: 120_000 }
    await expect.poll(rows, slow).toContain(hash)
    const next = await pay()
    await expect.poll(rows, slow).toContain(next)
    expect(rows().split(next)).toHaveLength(2)
  })
})

type Indexed = { data?: { accounts: { items: { received: string; transfers: number }[] } } }
