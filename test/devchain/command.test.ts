import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { mnemonicToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'

import { MNEMONIC } from '../../src/devchain/index.ts'
import { ethgate, startCommand, startDev } from '../support/cli.ts'

async function rpc(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: unknown }
  return result ?? error
}

test('default: prints accounts and keys, serves both interfaces on one port, ends on SIGTERM', async () => {
  const { command, url } = await startDev('--accounts', '2')
  expect(command.stdout()).toContain(
    '(0) 0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266  TYBNgWfhGuNzdLtjKtxXTfskAhTbMcqbaG',
  )
  expect(command.stdout()).toContain(
    '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
  )
  const chainId = (await rpc(url, 'eth_chainId')) as string
  expect(command.stdout()).toContain(`Chain id   ${Number(chainId)} (${chainId})`)
  const [, explorer = ''] = /^Explorer   (http:\S+)$/m.exec(command.stdout()) ?? []
  const page = await fetch(explorer, { headers: { accept: 'text/html' } })
  expect(await page.text()).toContain('<h1>Explorer</h1>')
  expect(await rpc(url, 'eth_accounts')).toHaveLength(2)
  const native = await fetch(`${url}/wallet/getblockbynum?num=0`)
  const genesis = (await native.json()) as { blockID: string }
  expect(`0x${genesis.blockID.slice(-8).replace(/^0+/, '')}`).toBe(chainId)
  command.process.kill('SIGTERM')
  expect((await command.ended).code).toBe(0)
})

test('args: --state keeps sent transactions after a kill', async () => {
  const state = join(mkdtempSync(join(tmpdir(), 'ethgate-dev-')), 'chain.jsonl')
  const args = ['--state', state, '--block-time', '0']
  const first = await startDev(...args)
  const [from, to] = (await rpc(first.url, 'eth_accounts')) as string[]
  const hash = await rpc(first.url, 'eth_sendTransaction', [{ from, to, value: '0x7' }])
  first.command.process.kill('SIGKILL')
  await first.command.ended
  const second = await startDev(...args)
  expect(await rpc(second.url, 'eth_getTransactionReceipt', [hash])).toMatchObject({
    status: '0x1',
  })
  expect(await rpc(second.url, 'eth_getBalance', [to, 'latest'])).toBe('0x2540be407')
  second.command.process.kill('SIGTERM')
  await second.command.ended
})

test.each([
  ['text', (dump: string) => `${dump}\n`],
  ['JSON', (dump: string) => JSON.stringify(dump)],
])('args: --load-state with the answer of anvil_dumpState as %s', async (_, print) => {
  const file = join(mkdtempSync(join(tmpdir(), 'ethgate-dev-')), 'state')
  const first = await startDev()
  const [from, to] = (await rpc(first.url, 'eth_accounts')) as string[]
  const hash = await rpc(first.url, 'eth_sendTransaction', [{ from, to, value: '0x7' }])
  writeFileSync(file, print((await rpc(first.url, 'anvil_dumpState')) as string))
  first.command.process.kill('SIGTERM')
  await first.command.ended
  const second = await startDev('--load-state', file)
  expect(await rpc(second.url, 'eth_getTransactionReceipt', [hash])).toMatchObject({
    status: '0x1',
  })
  second.command.process.kill('SIGTERM')
  await second.command.ended
})

test('error: two chains with one --state file', async () => {
  const state = join(mkdtempSync(join(tmpdir(), 'ethgate-dev-')), 'chain.jsonl')
  const first = await startDev('--state', state)
  const run = await ethgate(['dev', '-p', '0', '--state', state])
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toContain(`--state ${state}: another process uses it`)
  first.command.process.kill('SIGTERM')
  await first.command.ended
})

test('error: an invalid option prints one line and exits with 2', async () => {
  const run = await ethgate(['dev', '--accounts', 'many'])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr.trim().split('\n')).toHaveLength(1)
})

test.each([
  [['--mnemonic', 'foo bar'], '--mnemonic: the mnemonic must have 12, 15, 18, 21 or 24 words'],
  [['--derivation-path', 'x'], '--derivation-path: expected a derivation path such as'],
  [['--load-state', 'nofile.json'], '--load-state nofile.json: there is no such file'],
])('error: %j', async (args, text) => {
  const run = await ethgate(['dev', '-p', '0', ...args])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain(`ethgate: ${text}`)
})

test('behavior: the log adds nothing to what the terminal shows at the start', async () => {
  const command = startCommand(['dev', '-p', '0'])
  onTestFinished(async () => {
    command.process.kill('SIGTERM')
    await command.ended
  })
  await expect.poll(() => command.stdout()).toContain('JSON-RPC')
  // A busy machine may block the event loop, which is worth a warning.
  const logged = command.stdout().match(/"msg":"[^"]*"/g) ?? []
  expect(logged.filter((line) => line !== '"msg":"the event loop was blocked"')).toEqual([])
})

test('error: --upstream is for serve', async () => {
  const run = await ethgate(['dev', '--upstream', 'http://127.0.0.1:8090'])
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain('ethgate serve --upstream')
})

test('behavior: --help lists only what concerns dev', async () => {
  const { stdout } = await ethgate(['dev', '--help'])
  for (const flag of ['--decimals', '--mnemonic', '--profile', '--port'])
    expect(stdout).toContain(flag)
  for (const flag of ['--upstream', '--redis', '--keys ', '--state-window', '--filter-ttl'])
    expect(stdout).not.toContain(flag)
})

test('args: --mnemonic, --chain-id, --decimals 18', async () => {
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
  const args = ['--mnemonic', words, '--chain-id', '1337', '--decimals', '18', '--accounts', '1']
  const { command, url } = await startDev(...args)
  expect(await rpc(url, 'eth_chainId')).toBe('0x539')
  const [account] = (await rpc(url, 'eth_accounts')) as string[]
  expect(account).toBe('0x58a57ed9d8d624cbd12e2c467d34787555bb1b25')
  expect(await rpc(url, 'eth_getBalance', [account, 'latest'])).toBe('0x21e19e0c9bab2400000')
  expect(command.stdout()).toContain('native transactions are refused')
  command.process.kill('SIGTERM')
  await command.ended
})

test('args: --dump-state and --load-state carry a state over; --derivation-path is where accounts come from', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ethgate-dev-')), 'state')
  const first = await startDev('--dump-state', file)
  const [from, to] = (await rpc(first.url, 'eth_accounts')) as string[]
  await rpc(first.url, 'eth_sendTransaction', [{ from, to, value: '0x7' }])
  const balance = await rpc(first.url, 'eth_getBalance', [to, 'latest'])
  // Its code computes until little energy is left, so the chain makes the block long after the answer.
  const slow = `0x${'5c'.repeat(20)}` as const
  await rpc(first.url, 'anvil_setCode', [slow, '0x5b5a6200c3501060005700'])
  const chainId = Number(await rpc(first.url, 'eth_chainId'))
  const gasPrice = BigInt((await rpc(first.url, 'eth_gasPrice')) as string)
  const rest = { chainId, gas: 3_000_000n, gasPrice, nonce: 1, to: slow, value: 9n }
  const raw = await mnemonicToAccount(MNEMONIC).signTransaction(rest)
  expect(await rpc(first.url, 'eth_sendRawTransaction', [raw])).toMatch(/^0x/)
  first.command.process.kill('SIGTERM')
  await first.command.ended
  const second = await startDev('--load-state', file, '--derivation-path', "m/44'/195'/0'/0/")
  expect(await rpc(second.url, 'eth_getBalance', [to, 'latest'])).toBe(balance)
  expect(await rpc(second.url, 'eth_getBalance', [slow, 'latest'])).toBe('0x9')
  expect(await rpc(second.url, 'eth_blockNumber')).toBe('0x3')
  const accounts = await rpc(second.url, 'eth_accounts')
  expect(accounts).not.toContain(from)
  second.command.process.kill('SIGTERM')
  await second.command.ended
})

test('args: --fork continues another chain', async () => {
  const real = await startDev(
    '--mnemonic',
    'legal winner thank year wave sausage worth useful legal winner thank yellow',
  )
  const fork = await startDev('--fork', real.url, '--fork-cache', 'off')
  expect(await rpc(fork.url, 'eth_chainId')).toBe(await rpc(real.url, 'eth_chainId'))
  expect(fork.command.stdout()).toMatch(
    /Fork {7}block 1 \(0x[\da-f]{64}\)\n +exact at that block: balances, code, storage, nonces\n/,
  )
  for (const { command } of [fork, real]) {
    command.process.kill('SIGTERM')
    await command.ended
  }
  const wrong = await ethgate(['dev', '--fork', real.url, '--chain-id', '5'])
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--chain-id')])
  const gone = await ethgate(['dev', '--fork', 'http://user:key@127.0.0.1:1/key'])
  expect([gone.code, gone.stderr]).toEqual([
    4,
    expect.stringContaining('--fork http://127.0.0.1:1: the upstream node is unreachable'),
  ])
})
