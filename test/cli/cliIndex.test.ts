import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'

import { parquetReadObjects } from 'hyparquet'
import { toHex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'

import { processIo } from '../../src/cli/base/io.ts'
import { runEthgate } from '../../src/cli/program.ts'
import { lastIndexable } from '../../src/logIndex/fill/segments.ts'
import { createScriptedChain } from '../support/chain.ts'
import { ethgate, startCommand, startRpc } from '../support/cli.ts'
import { serveInTest } from '../support/serve.ts'
import { until } from '../support/until.ts'

const BLOCKS = 1_300
const LAST = lastIndexable(BLOCKS)
const directory = mkdtempSync(join(tmpdir(), 'ethgate-cli-index-'))
const index = join(directory, 'logs')
const chain = createScriptedChain()
let node: Awaited<ReturnType<typeof chain.listen>>

const address = (value: number) => value.toString(16).padStart(40, '0')
const logsIn = (number: number) => (number === 0 ? 0 : number % 3)
let logs = 0

beforeAll(async () => {
  for (let number = 1; number <= BLOCKS; number++)
    chain.mine({
      logs: Array.from({ length: logsIn(number) }, (_, at) => [
        {
          address: address(number % 5),
          topics: [(at + 1).toString(16).padStart(64, '0')],
          data: '01',
        },
      ]),
    })
  chain.solidify(BLOCKS)
  for (let number = 0; number <= LAST; number++) logs += logsIn(number)
  node = await chain.listen()
})
afterAll(async () => {
  await node.close()
  rmSync(directory, { recursive: true })
})

const run = (...args: string[]) => ethgate(['index', ...args, '--json'])
const verify = (...args: string[]) =>
  run('verify', '--index', index, '--upstream', node.url, '--index-rate', '10000', ...args)
/** The last line. The lines before it show the progress. */
const json = (text: string) =>
  JSON.parse(text.trim().split('\n').at(-1) ?? '') as Record<string, unknown>

test('default: fills, reports the covered blocks, verifies, exports', async () => {
  const filled = await run(
    '--index',
    index,
    '--upstream',
    node.url,
    '--from',
    '0',
    '--index-rate',
    '10000',
  )
  expect(filled).toMatchObject({ code: 0, stderr: '' })
  expect(json(filled.stdout)).toMatchObject({ from: 0, to: LAST, blocks: LAST + 1, logs })

  const again = await run('--index', index, '--upstream', node.url, '--from', '0')
  expect(json(again.stdout)).toMatchObject({ blocks: 0, logs: 0 })

  const status = await run('status', '--index', index)
  expect(json(status.stdout)).toMatchObject({
    engine: 'lmdb',
    covered: [{ from: 0, to: LAST, logs }],
    accounts: [{ from: 0, to: LAST }],
  })

  const verified = await verify('--all')
  expect(json(verified.stdout)).toEqual({ blocks: LAST + 1, logs, wrong: [] })

  const csv = join(directory, 'logs.csv')
  expect(json((await run('export', '--index', index, '--out', csv)).stdout)).toMatchObject({ logs })
  const lines = readFileSync(csv, 'utf8').trim().split('\n')
  expect(lines.length).toBe(logs + 1)
  const { hash, timestamp, transactions } = chain.canonical()[1] as ReturnType<typeof chain.head>
  expect(lines[1]).toBe(
    `1,${hash},${timestamp / 1000},${transactions[0]},0,0,0x${address(1)},0x${'1'.padStart(64, '0')},,,,0x01`,
  )

  const parquet = join(directory, 'logs.parquet')
  await run('export', '--index', index, '--out', parquet, '--address', `0x${address(2)}`)
  const bytes = readFileSync(parquet)
  const rows = await parquetReadObjects({
    file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength),
  })
  expect(rows.length).toBe(lines.filter((line) => line.includes(`0x${address(2)}`)).length)
  expect(rows[0]).toMatchObject({ block_number: 2n, log_index: 0, topic1: null, data: '0x01' })

  const copy = join(directory, 'copy')
  const compacted = await run('compact', '--index', index, '--into', copy)
  expect(compacted).toMatchObject({ code: 0 })
  const copied = json((await run('status', '--index', copy)).stdout)
  expect(copied).toMatchObject({ logs })
  expect(json(compacted.stdout)).toMatchObject({ after: copied['bytes'] })
})

test('behavior: verify reads each block once when the sample is larger than the index', async () => {
  const verified = await verify('--sample', '2000')
  expect(json(verified.stdout)).toEqual({ blocks: LAST + 1, logs, wrong: [] })
})

test.each([
  ['receipts', []],
  ['the index', ['--index', index]],
])(
  'behavior: audit compares the search of a node with %s and names the blocks whose logs it drops',
  async (_, more) => {
    let dropped = new Set<number>()
    const rpc = await startRpc((_, [filter]) => {
      const { address: wanted, fromBlock, toBlock, topics } = filter as Record<string, string[]>
      const found: object[] = []
      for (let number = Number(fromBlock); number <= Number(toBlock); number++)
        for (let at = 0; at < logsIn(number); at++) {
          const isFound =
            wanted?.[0] === `0x${address(number % 5)}` ||
            topics?.[0]?.[0] === `0x${(at + 1).toString(16).padStart(64, '0')}`
          if (isFound && !dropped.has(number))
            found.push({ blockNumber: toHex(number), logIndex: toHex(at) })
        }
      return { result: found }
    })
    onTestFinished(() => rpc.close())
    // Nodes serve the solidified state on another port.
    const ports = ['--upstream', node.url, '--upstream-solidity', node.url]
    const args = ['audit', ...ports, '--upstream-rpc', rpc.url, ...more]
    const audit = () => run(...args, '--index-rate', '10000', '--to', '1200')
    const right = await audit()
    expect(right).toMatchObject({ code: 0, stderr: '' })
    expect(json(right.stdout)).toMatchObject({ blocks: 1_201, logs: 1_200, dropped: [] })

    dropped = new Set([5, 1_100])
    const wrong = await audit()
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).toContain('--logs-trust-node off')
    expect(json(wrong.stdout)['dropped']).toEqual([
      {
        block: 5,
        logs: 2,
        searches: [`0x${address(0)}`, `0x${'1'.padStart(64, '0')}`, `0x${'2'.padStart(64, '0')}`],
      },
      {
        block: 1_100,
        logs: 2,
        searches: [`0x${address(0)}`, `0x${'1'.padStart(64, '0')}`, `0x${'2'.padStart(64, '0')}`],
      },
    ])
  },
)

test('error: an address without /walletsolidity is named with the option to set', async () => {
  const upstream = await serveInTest((request, response) => {
    response.statusCode = request.url?.startsWith('/wallet/') ? 200 : 405
    response.end(JSON.stringify({ blockID: '00'.repeat(32), block_header: { raw_data: {} } }))
  })
  const { code, stderr } = await run('--index', index, '--upstream', upstream)
  expect(code).toBe(1)
  expect(stderr).toContain('--upstream-solidity')
})

test('args: --address keeps the logs of some contracts', async () => {
  const own = join(directory, 'own')
  const args = [
    '--index',
    own,
    '--upstream',
    node.url,
    '--address',
    `0x${address(3)}`,
    '--index-rate',
    '10000',
  ]
  const filled = await run(...args)
  const kept = json((await run('status', '--index', own)).stdout)['logs']
  expect(kept).toBeGreaterThan(0)
  expect(kept).toBeLessThan(logs)
  expect(filled).toMatchObject({ code: 0 })
  expect(json(filled.stdout)).toMatchObject({ contracts: 1, logs: kept })
  const again = await ethgate(['index', ...args, '--table'])
  expect(again.stderr).toContain('0 blocks with 0 logs of 1 contract added')
  const other = await run(...args.map((arg) => arg.replace(address(3), address(4))))
  expect(other.code).toBe(1)
  expect(other.stderr).toContain('keeps the logs of 1 other contracts')
  const exported = await run('export', '--index', own, '--out', join(directory, 'x.csv'))
  expect(exported.stderr).toContain('select them with --address')
})

test('error: the missing option or index is named', async () => {
  expect(await run('status')).toMatchObject({ code: 2 })
  expect(await run('--index', index)).toMatchObject({ code: 2 })
  const none = join(directory, 'none')
  expect(await run('status', '--index', none)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'none cannot be opened: the directory contains no log index',
    ) as string,
  })
  expect(existsSync(none)).toBe(false)
  expect(await run('export', '--index', index, '--out', 'logs.txt')).toMatchObject({ code: 2 })
})

test('error: a node that cannot be reached is named with its option', async () => {
  const unreachable = ['--upstream', 'http://127.0.0.1:9']
  for (const args of [
    ['--index', index, ...unreachable],
    ['verify', '--index', index, ...unreachable],
    ['audit', ...unreachable, '--upstream-rpc', 'http://127.0.0.1:9/jsonrpc'],
  ])
    expect(await run(...args)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(
        'cannot reach http://127.0.0.1:9 (--upstream); check',
      ) as string,
    })
  const rpc = ['--upstream-rpc', 'http://127.0.0.1:9/jsonrpc']
  const ports = ['--upstream', node.url, '--upstream-solidity', node.url]
  const audit = await run('audit', ...ports, ...rpc, '--to', '10')
  expect(audit).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('cannot reach http://127.0.0.1:9 (--upstream-rpc)') as string,
  })
  const closed = await run(
    'audit',
    '--upstream',
    node.url,
    '--upstream-solidity',
    'http://127.0.0.1:9',
    ...rpc,
  )
  expect(closed.stderr).toContain(
    `cannot reach ${node.url} (--upstream) or http://127.0.0.1:9 (--upstream-solidity)`,
  )
})

test('behavior: the group of the last block is indexed whole', async () => {
  const part = join(directory, 'part')
  const words = ['--index', part, '--upstream', node.url, '--from', '70', '--to', '130']
  const filled = json((await run(...words)).stdout)
  expect(filled).toMatchObject({ from: 70, to: 191, blocks: 128 })
  const status = await run('status', '--index', part)
  expect(json(status.stdout)).toMatchObject({ covered: [{ from: 64, to: 191 }] })
  const wrong = await run('--index', part, '--upstream', node.url, '--from', '5', '--to', '4')
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--to needs a whole number from 5, got') as string,
  })
})

test('behavior: it goes on when nobody reads its lines', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  let lines = 0
  const closed = Object.assign(new Error('closed'), { code: 'EPIPE' })
  const stdout = new Writable({ write: (_line, _encoding, done) => done((lines++, closed)) })
  const words = ['index', '--index', join(directory, 'slow'), '--upstream', node.url]
  const ended = runEthgate([...words, '--index-rate', '1'], { ...processIo(), stdout })
  await until(() => expect(vi.getTimerCount()).toBeGreaterThan(1))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(lines).toBe(1)
  process.emit('SIGINT')
  expect(await ended).toBe(130)
})

test('behavior: Ctrl-C ends it with 130 while the node does not answer', async () => {
  const silent = await startRpc(() => new Promise<never>(() => {}))
  const running = startCommand(['index', '--index', `${index}-none`, '--upstream', silent.url])
  await until(() => expect(silent.calls).not.toEqual([]))
  running.process.kill('SIGINT')
  const { code, stderr } = await running.ended
  await silent.close()
  expect({ code, stderr }).toEqual({
    code: 130,
    stderr: 'ethgate: stopped; run the same command again to continue\n',
  })
})
