import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { ethgate, startRpc } from '../support/cli.ts'
import { startDevGateway } from '../support/devGateway.ts'
import { ALICE } from './cliSamples.ts'
import { useFolder, useReplayNode } from './cliSetup.ts'

const folder = useFolder()

const shared = useReplayNode()

describe('account', () => {
  test('default: an address in every format', async () => {
    for (const spelling of Object.values(ALICE)) {
      const run = await ethgate(['address', spelling])
      expect(JSON.parse(run.stdout)).toEqual(ALICE)
    }
  })

  test('behavior: the file of a new key is readable for its owner only, and the key is not printed', async () => {
    const file = join(folder, 'new.key')
    const made = await ethgate(['keys', 'new', '--key-file', file])
    const { mode } = await stat(file)
    expect(mode & 0o777).toBe(0o600)
    const key = (await readFile(file, 'utf8')).trim()
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    expect(made.stdout + made.stderr).not.toContain(key)

    const { base58 } = JSON.parse(made.stdout) as { base58: string }
    const converted = await ethgate(['keys', 'show', '--key-file', file])
    expect(JSON.parse(converted.stdout)).toMatchObject({ base58 })
    expect(converted.stdout).not.toContain(key)

    const again = await ethgate(['keys', 'new', '--key-file', file])
    expect(again.code).toBe(1)
    expect((await readFile(file, 'utf8')).trim()).toBe(key)
  })

  test('behavior: amounts of a node are in its unit, whatever chain the gateway of the environment serves', async () => {
    const dev = await startDevGateway({ rules: { decimals: 18 } })
    const args = ['account', 'show', ALICE.base58, '--node', shared.node.url, '--table']
    const run = await ethgate(args, { env: { ETH_RPC_URL: dev.url } })
    await dev.close()
    expect(run.stdout).toMatch(/^staked for energy +196,500 coins$/m)
  })

  test('default: the history of an account as a table, JSON, CSV and page by page', async () => {
    const dev = await startDevGateway()
    const [from, to] = [dev.accountOf(0), `0x${'5'.repeat(40)}`]
    for (const value of ['0x1', '0x2', '0x3'])
      await dev.rpc('eth_sendTransaction', { from, to, value })
    const history = (...args: string[]) =>
      ethgate(['history', to, ...args], { env: { ETH_RPC_URL: dev.url } })
    const first = JSON.parse((await history('--limit', '2')).stdout) as {
      transactions: { kinds: string[]; transaction: { value: string } }[]
      older: string
    }
    expect(first.transactions.map(({ kinds, transaction }) => [kinds, transaction.value])).toEqual([
      [['received'], '0x3'],
      [['received'], '0x2'],
    ])
    const rest = await history('--before', first.older, '--table')
    expect(rest.stdout).toMatch(/^block +time +kinds +from +to +value +status +hash/)
    expect(rest.stdout).toContain('0.000001 coins')
    const csv = (await history('--all', '--csv')).stdout.trim().split('\n')
    expect(csv).toHaveLength(4)
    expect(csv[3]).toMatch(/^\d+,[^,]+Z,received,0x\w+,0x5{40},1,success,0x\w{64}$/)
    const sent = await history('--kind', 'sent', '--table')
    await dev.close()
    expect(sent.stdout).toContain('no transactions')
  })

  test('behavior: show reads a node', async () => {
    const run = await ethgate([
      'account',
      'show',
      ALICE.base58,
      '--node',
      shared.node.url,
      '--table',
    ])
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/^ethereum +0xAB9d99702700D5Cb9e1309374606fe24A4FDF8ba$/m)
    expect(run.stdout).toMatch(/^staked for energy +196,500 coins$/m)
    expect(run.stdout).toMatch(/^token 1000001 +99,999,998,998,446$/m)
    expect(run.stdout).toMatch(/^permission 2 \(active\) +1 of 0xAB9d/m)
  })

  test('behavior: show reads a gateway alone', async () => {
    const gateway = await startRpc((method) => {
      if (method === 'eth_getBalance') return { result: '0x12017bae15fc' }
      if (method === 'eth_getCode') return { result: '0x' }
      return { error: { code: -32601, message: 'no such method' } }
    })
    const run = await ethgate(['account', 'show', ALICE.eth, '--rpc-url', gateway.url, '--table'])
    await gateway.close()
    expect(run.code).toBe(0)
    expect(run.stdout).toMatch(/^balance +19,797,579.273724 coins$/m)
    expect(run.stderr).toContain('--node')
  })

  test('error: a native address without one of its bytes is not an Ethereum address', async () => {
    const short = ALICE.hex.slice(0, -2)
    const token = ['transfer(address,uint256)', short, '1']
    for (const words of [
      ['address', short],
      ['encode', 'calldata', ...token],
      ['native', 'getaccount', `address=${short}`],
      ['logs', 'any', short],
    ]) {
      const run = await ethgate(words)
      expect(run).toMatchObject({ code: 2, stdout: '' })
      expect(run.stderr).toContain(short)
    }
    expect((await ethgate(['address', `0x${short}`])).code).toBe(0)
  })

  test('error: a wrong checksum', async () => {
    for (const wrong of [
      'TRcdM4KTpBzgJHbwU7yRhbPratNVK829an',
      '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
    ]) {
      const run = await ethgate(['address', wrong])
      expect(run.code).toBe(2)
      expect(run.stderr).toContain('checksum')
    }
  })
})
