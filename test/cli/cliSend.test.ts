import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import { getContractAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'

import nodeTexts from '../fixtures/nodeTexts.json' with { type: 'json' }
import { ethgate, type Run, type RunningCommand, startDev } from '../support/cli.ts'
import { startReplayNode } from '../support/node.ts'
import { serveInTest } from '../support/serve.ts'

// The first accounts of the development chain; their keys are public.
const FIRST = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const FIRST_KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const SECOND = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const SECOND_BASE58 = 'TLEaY8XoqpBmndLsjcfThgdKLN1ssNuUcF'

/**
 * A contract in a few bytes. Its constructor takes a uint256 and drops it. Called with `boom()` it reverts with
 * `Error("no")`, otherwise it returns the word 42.
 */
const RUNTIME = [
  '60003560e01c63a169ce0914601957', // to 0x19 when the selector is boom()'s
  '602a60005260206000f3',
  `5b7f08c379a0${'0'.repeat(56)}600052`,
  '6020600452',
  '6002602452',
  `7f6e6f${'0'.repeat(60)}604452`,
  '60646000fd',
].join('')
const ABI = [
  {
    type: 'constructor',
    inputs: [{ name: 'size', type: 'uint256' }],
    stateMutability: 'nonpayable',
  },
  {
    type: 'function',
    name: 'answer',
    inputs: [],
    outputs: [{ name: '', type: 'uint256' }],
    stateMutability: 'nonpayable',
  },
  { type: 'function', name: 'boom', inputs: [], outputs: [], stateMutability: 'nonpayable' },
]

let chain: RunningCommand
let url = ''
let folder: string
let key: string
let artifact: string

beforeAll(async () => {
  const started = await startDev()
  chain = started.command
  url = started.url
  folder = await mkdtemp(join(tmpdir(), 'ethgate-send-'))
  key = join(folder, 'first.key')
  await writeFile(key, `0x${FIRST_KEY}\n`, { mode: 0o600 })
  artifact = join(folder, 'Tiny.json')
  const size = (RUNTIME.length / 2).toString(16).padStart(2, '0')
  const bytecode = `0x60${size}600c60003960${size}6000f3${RUNTIME}`
  await writeFile(artifact, JSON.stringify({ contractName: 'Tiny', abi: ABI, bytecode }))
})
afterAll(async () => {
  chain.process.kill('SIGTERM')
  await chain.ended
})

async function send(...args: string[]): Promise<Run> {
  return ethgate(['send', '--rpc-url', url, ...args])
}

async function balance(address: string): Promise<bigint> {
  const run = await ethgate(['balance', address, '--rpc-url', url])
  return BigInt(run.stdout.trim())
}

test('default: signs and sends coins, and waits for the block', async () => {
  const before = await balance(SECOND)
  const run = await send(
    SECOND_BASE58,
    '--value',
    '1.000001coin',
    '--key-file',
    key,
    '--memo',
    'hello',
  )
  expect(run).toMatchObject({ code: 0, stderr: '' })
  const sent = JSON.parse(run.stdout) as { hash: string; status: string; receipt: object }
  expect(sent).toMatchObject({ status: 'success', receipt: { from: FIRST, to: SECOND } })
  expect((await balance(SECOND)) - before).toBe(1_000_001n)

  const native = await ethgate([
    'native',
    'gettransactionbyid',
    `value=${sent.hash}`,
    '--rpc-url',
    url,
  ])
  expect(JSON.parse(native.stdout)).toMatchObject({
    raw_data: {
      data: Buffer.from('hello').toString('hex'),
      contract: [{ type: 'TransferContract' }],
    },
  })
})

test('behavior: signs for Ethereum on a chain with 18 decimals', async () => {
  const ethereum = await startDev('--decimals', '18')
  onTestFinished(async () => {
    ethereum.command.process.kill('SIGTERM')
    await ethereum.command.ended
  })
  const sendThere = (...args: string[]) =>
    ethgate(['send', '--rpc-url', ethereum.url, '--key-file', key, ...args])
  const coins = await sendThere(SECOND, '--value', '1.5coin')
  expect(JSON.parse(coins.stdout)).toMatchObject({
    status: 'success',
    receipt: { to: SECOND, gasUsed: '0x5208' },
  })
  const created = await sendThere('--create', artifact, '7')
  const { contractAddress } = JSON.parse(created.stdout) as { contractAddress: string }
  expect(contractAddress).toBe(getContractAddress({ from: FIRST, nonce: 1n }).toLowerCase())
  const called = await sendThere(contractAddress, 'answer()')
  expect(JSON.parse(called.stdout)).toMatchObject({ status: 'success' })
  const refused = await sendThere(SECOND, '--value', '1coin', '--memo', 'hello')
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--memo') })
})

test('behavior: the gateway signs for an account that it manages', async () => {
  const before = await balance(SECOND)
  const run = await send(SECOND, '--value', '5sun', '--from', FIRST, '--table')
  expect(run.code).toBe(0)
  expect(run.stdout).toMatch(/^amount +0.000005 coins$/m)
  expect(run.stdout).toMatch(/^result +success$/m)
  expect((await balance(SECOND)) - before).toBe(5n)
})

test('behavior: --dry-run shows the transaction and sends nothing', async () => {
  const before = await balance(SECOND)
  const run = await send(SECOND, '--value', '1coin', '--from', FIRST, '--dry-run')
  expect(JSON.parse(run.stdout)).toMatchObject({
    raw_data: {
      contract: [{ type: 'TransferContract', parameter: { value: { amount: 1_000_000 } } }],
    },
  })
  expect(await balance(SECOND)).toBe(before)
})

describe('contracts', () => {
  let contract = ''

  test('default: deploys an artifact with its constructor’s arguments', async () => {
    const run = await send('--create', artifact, '7', '--key-file', key)
    expect(run).toMatchObject({ code: 0, stderr: '' })
    const { contractAddress } = JSON.parse(run.stdout) as { contractAddress: string }
    contract = contractAddress
    const code = await ethgate(['code', contract, '--rpc-url', url])
    expect(code.stdout.trim()).toBe(`0x${RUNTIME}`)
    const stored = await ethgate(['native', 'getcontract', `value=${contract}`, '--rpc-url', url])
    expect(JSON.parse(stored.stdout)).toMatchObject({
      name: 'Tiny',
      consume_user_resource_percent: 100,
      abi: {
        entrys: [{ type: 'Constructor' }, { type: 'Function', name: 'answer' }, { name: 'boom' }],
      },
    })
  })

  test('args: a function, by signature and by name', async () => {
    const signature = await send(contract, 'answer()', '--key-file', key)
    expect(signature).toMatchObject({ code: 0, stderr: '' })
    const name = await send(contract, 'answer', '--abi', artifact, '--key-file', key)
    expect(name).toMatchObject({ code: 0, stderr: '' })
  })

  test('error: a call that would revert is not sent; one that reverted exits with 3', async () => {
    const refused = await send(contract, 'boom()', '--key-file', key)
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    expect(refused.stderr).toContain('execution reverted: no')
    const failed = await send(contract, 'boom()', '--key-file', key, '--fee-limit', '10coin')
    expect(failed.code).toBe(3)
    expect(JSON.parse(failed.stdout)).toMatchObject({ status: 'failed' })
    expect(failed.stderr).toMatch(/and failed: execution reverted: no \(from a repeated call\)\n$/)
  })

  test('behavior: the same over the native interface', async () => {
    const node = ['send', '--node', url, '--key-file', key]
    const coins = await ethgate([...node, SECOND, '--value', '1sun'])
    expect(coins).toMatchObject({ code: 0, stderr: '' })
    const refused = await ethgate([...node, contract, 'boom()'])
    expect(refused).toMatchObject({ code: 3, stdout: '' })
    const failed = await ethgate([...node, contract, 'boom()', '--fee-limit', '10coin'])
    expect(failed.code).toBe(3)
    expect(failed.stderr).toMatch(/and failed: no\n$/)
  })

  test('behavior: call asks the node alone', async () => {
    const call = (...words: string[]) => ethgate(['call', '--node', url, contract, ...words])
    const gateway = await ethgate(['call', '--rpc-url', url, contract, 'answer()(uint256)'])
    expect(gateway).toMatchObject({ code: 0, stderr: '' })
    // Nothing listens at the default address of the gateway.
    expect(await call('answer()(uint256)')).toEqual(gateway)
    const reverted = await call('boom()')
    expect(reverted).toMatchObject({ code: 3, stdout: '' })
    expect(reverted.stderr).toContain('execution reverted: no')
    expect((await call('answer()(uint256)', '--block', '1')).code).toBe(2)
    const empty = await ethgate(['call', '--node', url, SECOND])
    expect(empty).toMatchObject({ code: 0, stdout: '0x\n' })
  })
})

test('behavior: keys from a file or the environment; warnings for the command line and readable files', async () => {
  const transfer = [SECOND, '--value', '1sun', '--dry-run']
  const env = await ethgate(['send', '--rpc-url', url, ...transfer], {
    env: { ETHGATE_KEY: FIRST_KEY },
  })
  expect(env).toMatchObject({ code: 0, stderr: '' })
  const argv = await send(...transfer, '--private-key', FIRST_KEY)
  expect(argv.stderr).toContain('other users can see the key of --private-key')
  const open = join(folder, 'open.key')
  await writeFile(open, FIRST_KEY)
  await chmod(open, 0o644)
  const readable = await send(...transfer, '--key-file', open)
  expect(readable.stderr).toContain(`chmod 600 ${open}`)
  for (const { stdout, stderr } of [env, argv, readable])
    expect(stdout + stderr).not.toContain(FIRST_KEY)
})

test('error: usage', async () => {
  const cases = [
    [[SECOND, '--value', '1.5', '--key-file', key], 'has no unit: write 1.5coin'],
    [[SECOND, '--value', '1.1234567coin', '--key-file', key], 'coin has 6 decimals'],
    [[SECOND, '--value', '1coin'], 'the sender is missing'],
    [['--value', '1coin', '--key-file', key], 'the receiver is missing'],
    [[SECOND, '--key-file', key], 'the amount is missing'],
    [[SECOND, 'transfer(address,uint256)', SECOND, '--key-file', key], 'takes 2 arguments'],
    [[SECOND, 'f(uint256)', 'many', '--key-file', key], 'needs an integer'],
    [[SECOND, '--value', '1coin', '--key-file', join(folder, 'none')], 'the file does not exist'],
  ] as const
  for (const [args, text] of cases) {
    const run = await send(...args)
    expect(run).toMatchObject({ code: 2, stdout: '' })
    expect(run.stderr).toContain(text)
    expect(run.stderr.trim().split('\n')).toHaveLength(1)
  }
})

/** A server in front of the chain that answers some paths itself: with a status, or not at all. */
function inFront(answers: Record<string, number | undefined>): Promise<string> {
  return serveInTest(async (request, response) => {
    const path = request.url ?? ''
    if (Object.hasOwn(answers, path)) {
      if (answers[path] !== undefined) response.writeHead(answers[path]).end()
      return
    }
    const { method = 'GET' } = request
    const body = method === 'GET' ? null : await text(request)
    const answer = await fetch(`${url}${path}`, { method, body })
    response.writeHead(answer.status).end(await answer.text())
  })
}

test.each([[503], [429], [403], [undefined]])(
  'error: nothing is sent while the decimals of the coin are unknown (HTTP %s)',
  async (status) => {
    const front = await inFront({ '/chain.json': status })
    const options = ['--rpc-url', front, '--from', FIRST, '--timeout', '1']
    const before = await balance(SECOND)
    const run = await ethgate(['send', SECOND, '--value', '1coin', ...options])
    expect(run).toMatchObject({ code: 4, stdout: '' })
    expect(run.stderr).toContain(
      status === undefined ? 'did not answer within 1 s' : `/chain.json answered HTTP ${status}`,
    )
    expect(await balance(SECOND)).toBe(before)
  },
)

test('behavior: a server without /chain.json is a node, whose coin has 6 decimals', async () => {
  for (const status of [404, 405]) {
    const front = await inFront({ '/chain.json': status })
    const words = ['send', SECOND, '--value', '1coin', '--rpc-url', front, '--from', FIRST]
    const run = await ethgate([...words, '--dry-run'])
    expect(run.stdout).toContain('"amount":1000000')
  }
})

test('error: an estimate that fails is not replaced by a lower one', async () => {
  const deployed = await send('--create', artifact, '7', '--key-file', key)
  const { contractAddress } = JSON.parse(deployed.stdout) as { contractAddress: string }
  const estimate = (node: string) =>
    ethgate(['estimate', contractAddress, 'answer()', '--node', node])
  const failed = await estimate(await inFront({ '/wallet/estimateenergy': 500 }))
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  const lacking = await estimate(await inFront({ '/wallet/estimateenergy': 404 }))
  expect(lacking).toMatchObject({ code: 0, stderr: '' })
  const off = await startReplayNode({
    intercept: ({ path }) =>
      path.endsWith('/estimateenergy')
        ? { text: nodeTexts.estimatesOff['4.8.2'].text }
        : { text: '{"result":{"result":true},"energy_used":42,"name":"x"}' },
  })
  const disabled = await estimate(off.url)
  await off.close()
  expect(disabled).toEqual({ code: 0, stdout: '42\n', stderr: '' })
})

test('error: insufficient coins', async () => {
  const run = await send(SECOND, '--value', '9000000000coin', '--key-file', key)
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toMatch(/^ethgate: eth_sendRawTransaction: .*insufficient/i)
})

test('behavior: an answer that is lost after the node has the transaction pays once', async () => {
  let lost = 0
  // The chain gets every request; the answers to the first two broadcasts are lost.
  const front = await serveInTest(async (request, response) => {
    const { method = 'GET' } = request
    const body = method === 'GET' ? null : await text(request)
    const answer = await fetch(`${url}${request.url}`, { method, body })
    const isBroadcast = /broadcasthex|sendRawTransaction/i.test(`${request.url}${body}`)
    if (isBroadcast && lost++ % 2 === 0) return response.destroy()
    return response.writeHead(answer.status).end(await answer.text())
  })
  const before = await balance(SECOND)
  for (const where of ['--rpc-url', '--node']) {
    const run = await ethgate(['send', SECOND, '--value', '1sun', '--key-file', key, where, front])
    expect(run).toMatchObject({ code: 0, stderr: '' })
  }
  expect((await balance(SECOND)) - before).toBe(2n)
})

/** Starts a server in front of the chain that answers itself after the calls of this method reached the chain. */
const startFront = (method: string, instead: (response: ServerResponse) => void) =>
  serveInTest(async (request, response) => {
    const { method: verb = 'GET' } = request
    const body = verb === 'GET' ? null : await text(request)
    const answer = await fetch(`${url}${request.url}`, { method: verb, body })
    const given = await answer.text()
    if (body?.includes(method)) return instead(response)
    return response.writeHead(answer.status).end(given)
  })

describe('what was sent has a hash in its error, and no exit code that advises to send it again', () => {
  const words = [SECOND, '--value', '1sun', '--key-file']

  test('error: no broadcast is answered', { timeout: 20_000 }, async () => {
    const front = await startFront('sendRawTransaction', (response) => response.destroy())
    const before = await balance(SECOND)
    const run = await ethgate(['send', ...words, key, '--rpc-url', front, '--json'])
    expect((await balance(SECOND)) - before).toBe(1n)
    expect(run).toMatchObject({ code: 1, stdout: '' })
    const { hash, message } = (JSON.parse(run.stderr) as { error: Record<string, string> }).error
    expect(message).toContain(`look at "ethgate tx ${hash}" before you send it again`)
    expect((await ethgate(['tx', hash ?? '', '--rpc-url', url])).code).toBe(0)
  })

  test('error: the receipt is refused', async () => {
    const error = { code: -32000, message: 'no receipts' }
    const front = await startFront('eth_getTransactionReceipt', (response) =>
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error })),
    )
    const run = await ethgate(['send', ...words, key, '--rpc-url', front])
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(
      /^ethgate: transaction 0x\w{64} was sent, and its outcome cannot be read: .*no receipts/,
    )
  })
})

test('error: wrong options are refused before anything is sent', async () => {
  const before = await balance(SECOND)
  for (const args of [
    ['--from', FIRST, '--expires', 'abc'],
    ['--from', FIRST, '--expires', '5'],
    ['--key-file', key, '--permission', 'abc'],
    ['--key-file', key, '--create', artifact, '--data', '0x01'],
    ['--key-file', key, '--abi', join(folder, 'missing.json')],
  ])
    expect(await send(SECOND, '--value', '1sun', ...args)).toMatchObject({ code: 2, stdout: '' })
  expect((await balance(SECOND)) - before).toBe(0n)
  const vote = await ethgate([
    'account',
    'vote',
    `${SECOND}=1=2`,
    '--key-file',
    key,
    '--rpc-url',
    url,
  ])
  expect(vote).toMatchObject({ code: 2, stdout: '' })
  const short = await send(SECOND, '--value', '1sun', '--key-file', key, '--expires', '30.23456')
  expect(short).toMatchObject({ code: 0, stderr: '' })
  const empty = join(folder, 'empty')
  await writeFile(empty, '\n')
  const run = await send('--create', empty, '--key-file', key)
  expect(run).toMatchObject({ code: 2, stdout: '' })
  expect(run.stderr).toContain('is empty')
})

test('error: whether the gateway has sent the transaction of a managed account is not known', async () => {
  const front = await startFront('eth_sendTransaction', (response) => response.destroy())
  const run = await ethgate([
    'send',
    SECOND,
    '--value',
    '1sun',
    '--from',
    FIRST,
    '--rpc-url',
    front,
  ])
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toContain('the gateway may have sent the transaction')
})
