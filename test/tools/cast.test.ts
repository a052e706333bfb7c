import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { parseTransaction } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { type DevGateway, startDevGateway } from '../support/devGateway.ts'

const run = promisify(execFile)
const cwd = fileURLToPath(new URL('cast', import.meta.url))

/** The command of docs/sending.md. */
const [, command = ''] =
  /```sh\n(cast send [^\n]*)\n```/.exec(
    readFileSync(new URL('../../docs/sending.md', import.meta.url), 'utf8'),
  ) ?? []

// Installing takes minutes, so this runs where it is asked for: `npm run test:tools`.
describe.runIf(process.env['TEST_TOOLS'])('cast', () => {
  let dev: DevGateway

  beforeAll(async () => {
    dev = await startDevGateway()
    if (!existsSync(`${cwd}/node_modules`))
      await run('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd })
  }, 600_000)

  afterAll(() => dev.close())

  test('behavior: the command of docs/sending.md sends one coin, with the energy price as base fee', async () => {
    const env = {
      ...process.env,
      MANAGED_KEY: dev.keyOf(0),
      PATH: `${cwd}/node_modules/.bin:${process.env['PATH']}`,
    }
    const receiver = /0x[0-9a-fA-F]{40}\b/.exec(command)?.[0]
    const before = (await dev.rpc('eth_getBalance', receiver, 'latest')) as string
    const here = command.replace('http://127.0.0.1:8545', dev.url)
    const { stdout } = await run('bash', ['-c', `${here} --json`], { cwd, env })
    const receipt = JSON.parse(stdout) as { status: string; type: string }
    expect(receipt).toMatchObject({ status: '0x1', type: '0x2' })
    const after = (await dev.rpc('eth_getBalance', receiver, 'latest')) as string
    expect(BigInt(after) - BigInt(before)).toBe(1_000_000n)
  }, 120_000)

  test('behavior: it offers twice the base fee and a tip of one, and pays the base fee', async () => {
    const key = dev.keyOf(0)
    const receiver = dev.accountOf(1)
    const args = ['mktx', '--rpc-url', dev.url, '--private-key', key, receiver, '--value', '1']
    const { stdout } = await run(`${cwd}/node_modules/.bin/cast`, args, { cwd })
    const raw = stdout.trim() as `0x02${string}`
    const price = BigInt((await dev.rpc('eth_gasPrice')) as string)
    expect(parseTransaction(raw)).toMatchObject({
      type: 'eip1559',
      maxFeePerGas: 2n * price + 1n,
      maxPriorityFeePerGas: 1n,
    })
    const hash = await dev.rpc('eth_sendRawTransaction', raw)
    expect(await dev.rpc('eth_getTransactionReceipt', hash)).toMatchObject({
      effectiveGasPrice: `0x${price.toString(16)}`,
      status: '0x1',
    })
  }, 120_000)
})
