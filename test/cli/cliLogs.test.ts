import { once } from 'node:events'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { afterEach, beforeEach, expect, test } from 'vitest'

import { ethgate, type Reply, startCommand, startRpc } from '../support/cli.ts'
import { startGateway } from '../support/gateway.ts'
import { hasTerminal, onTerminal, terminalSkip } from '../support/terminal.ts'
import { until } from '../support/until.ts'

type Server = Awaited<ReturnType<typeof startRpc>>
let server: Server
let folder: string
let out: string
/** The settings of the server that a test may change. */
let settings: {
  maxBlocks: number
  maxResults: number
  delay: number
  head: number
  fail: number
  behind: number
  fork: string
  suggest: boolean
}

beforeEach(async () => {
  settings = {
    maxBlocks: 1_000,
    maxResults: 300,
    delay: 0,
    head: 20_000,
    fail: 0,
    behind: 0,
    fork: '',
    suggest: false,
  }
  server = await startRpc(answer)
  folder = await mkdtemp(join(tmpdir(), 'ethgate-logs-'))
  out = join(folder, 'logs.jsonl')
})
afterEach(() => server.close())

/** A chain with a few logs in every 7th block, and 200 in each block from 5,000 to 5,050. */
function logsOf(number: number): unknown[] {
  const count = number >= 5_000 && number <= 5_050 ? 200 : number % 7 === 0 ? 3 : 0
  return Array.from({ length: count }, (_, index) => ({
    address: '0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c',
    blockNumber: `0x${number.toString(16)}`,
    logIndex: `0x${index.toString(16)}`,
    data: '0x',
    topics: [],
  }))
}

function expected(from: number, to: number): string {
  let text = ''
  for (let number = from; number <= to; number += 1)
    for (const log of logsOf(number)) text += `${JSON.stringify(log)}\n`
  return text
}

async function answer(method: string, params: unknown[]): Promise<Reply> {
  if (settings.delay > 0) await sleep(settings.delay)
  if (method === 'eth_chainId') return { result: '0x1' }
  if (method === 'eth_getBlockByNumber') {
    const tag = String(params[0])
    const number = tag.startsWith('0x') ? Number(tag) : tag === 'earliest' ? 0 : settings.head
    if (number > settings.head) return { result: null }
    return {
      result: { number: `0x${number.toString(16)}`, hash: `0xhash${settings.fork}${number}` },
    }
  }
  if (settings.fail > 0) {
    settings.fail -= 1
    return { status: 503, text: 'busy' }
  }
  const query = params[0] as { fromBlock: string; toBlock: string }
  const [from, to] = [Number(query.fromBlock), Number(query.toBlock)]
  if (settings.behind > 0) {
    settings.behind -= 1
    const message = `block range extends beyond current head block: requested ${to}, head ${to - 1}`
    return { error: { code: -32602, message } }
  }
  if (to - from > settings.maxBlocks)
    return { error: { code: -32602, message: `exceed max block range: ${settings.maxBlocks}` } }
  const logs: unknown[] = []
  let fits = from - 1
  for (let number = from; number <= to; number += 1) {
    logs.push(...logsOf(number))
    if (logs.length <= settings.maxResults) fits = number
  }
  if (logs.length > settings.maxResults)
    return {
      error: {
        code: -32005,
        message: `query returned more than ${settings.maxResults} results`,
        ...(settings.suggest && {
          data: {
            from: query.fromBlock,
            to: `0x${Math.max(from, fits).toString(16)}`,
            limit: settings.maxResults,
          },
        }),
      },
    }
  return { result: logs }
}

/** Bytes of a file; none when it does not exist. */
const sizeOf = (file: string) =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

const command = (...more: string[]) => [
  'logs',
  '--from-block',
  '0',
  '--rpc-url',
  server.url,
  '--out',
  out,
  ...more,
]

test('default: every log once, in order, with any limits of the server', async () => {
  const run = await ethgate(command())
  expect(run.code).toBe(0)
  expect(run.stderr).toMatch(
    /^18,7\d\d logs of blocks 0 to 20,000 in [\d.]+ s .*, written to .*\n$/,
  )
  expect(await readFile(out, 'utf8')).toBe(expected(0, 20_000))
})

test('behavior: follows the range that a server suggests', async () => {
  settings.suggest = true
  settings.head = 6_000
  const run = await ethgate(command('--json'))
  expect(JSON.parse(run.stdout)).toMatchObject({ from: 0, to: 6000, file: out })
  expect(await readFile(out, 'utf8')).toBe(expected(0, 6_000))
})

test('behavior: to standard output', async () => {
  const run = await ethgate([
    'logs',
    '--from-block',
    '4999',
    '--to-block',
    '5001',
    '--rpc-url',
    server.url,
    '--quiet',
  ])
  expect(run).toEqual({ code: 0, stdout: expected(4_999, 5_001), stderr: '' })
})

test('behavior: after a kill at any moment, the same command continues without gaps or duplicates', async () => {
  settings.delay = 15
  let kills = 0
  const [row] = logsOf(7)
  for (const rows of [50, 2_000, 9_000, 11_000]) {
    const running = startCommand(command('--concurrency', '3'))
    const enough = rows * JSON.stringify(row).length
    while ((await sizeOf(out)) < enough && running.process.exitCode === null) await sleep(10)
    if (running.process.exitCode === null && running.process.kill('SIGKILL')) kills += 1
    await running.ended
  }
  expect(kills).toBeGreaterThan(1)
  const last = await ethgate(command())
  expect(last.code).toBe(0)
  expect(await readFile(out, 'utf8')).toBe(expected(0, 20_000))
})

test('behavior: an incomplete last row, from a kill during a write, is removed', async () => {
  settings.head = 3_000
  await ethgate(command())
  await writeFile(out, `${await readFile(out, 'utf8')}{"address":"0x13e`)
  settings.head = 4_000
  const run = await ethgate(command())
  expect(run.code).toBe(0)
  expect(await readFile(out, 'utf8')).toBe(expected(0, 4_000))
})

test('behavior: a second run appends new logs; without new blocks it requests no logs', async () => {
  settings.head = 1_000
  await ethgate(command())
  server.calls.length = 0
  const nothing = await ethgate(command())
  expect(nothing.stderr).toContain('Nothing new')
  expect(server.calls.filter(({ method }) => method === 'eth_getLogs')).toEqual([])
  settings.head = 5_010
  await ethgate(command())
  expect(await readFile(out, 'utf8')).toBe(expected(0, 5_010))
})

test('behavior: Ctrl-C keeps the received logs and exits with 130', async () => {
  settings.delay = 30
  const running = startCommand(command('--concurrency', '1'))
  while ((await sizeOf(out)) === 0) await sleep(5)
  running.process.kill('SIGINT')
  const run = await running.ended
  expect(run.code).toBe(130)
  expect(run.stderr).toContain('run the same command again')
  settings.delay = 0
  await ethgate(command())
  expect(await readFile(out, 'utf8')).toBe(expected(0, 20_000))
})

test('behavior: the first Ctrl-C ends it while a request hangs', async () => {
  const silent = await startRpc(() => new Promise<never>(() => {}))
  const running = startCommand(['logs', '--rpc-url', silent.url])
  await until(() => expect(silent.calls).not.toEqual([]))
  running.process.kill('SIGINT')
  const run = await running.ended
  await silent.close()
  expect(run).toMatchObject({ code: 130, stdout: '' })
})

test.skipIf(!hasTerminal)(
  `behavior: a reader that leaves early leaves the terminal as it was${terminalSkip}`,
  async () => {
    const shell = onTerminal(`logs --from-block 0 --rpc-url "${server.url}" | head -1`)
    let output = ''
    shell.stdout.on('data', (text: Buffer) => (output += text.toString()))
    await once(shell, 'close')
    expect(output).toContain('"blockNumber"')
    // The progress bar hides the cursor and turns line wrap off.
    for (const [off, on] of [
      ['\u001B[?25l', '\u001B[?25h'],
      ['\u001B[?7l', '\u001B[?7h'],
    ] as const) {
      expect(output).toContain(off)
      expect(output.lastIndexOf(on)).toBeGreaterThan(output.lastIndexOf(off))
    }
  },
)

test.skipIf(!hasTerminal)(
  `behavior: on a terminal that shows the logs no bar is drawn over them${terminalSkip}`,
  async () => {
    const words = `logs --from-block 0 --to-block 100 --rpc-url "${server.url}"`
    const output = await text(onTerminal(words).stdout)
    expect(output).toMatch(/45 logs of blocks 0 to 100/)
    // The bar saves the position of the cursor and hides the cursor.
    for (const code of ['\u001B7', '\u001B[?25l']) expect(output).not.toContain(code)
  },
)

test('behavior: a request to a busy server is retried; if it stays busy, progress is saved', async () => {
  settings.fail = 2
  settings.head = 500
  const retried = await ethgate(command())
  expect(retried.code).toBe(0)
  expect(retried.stderr).toContain('is busy (HTTP 503: “busy”)')
  settings.head = 900
  settings.fail = 1_000
  const given = await ethgate(command('--retries', '1'))
  expect(given.code).toBe(4)
  expect(given.stderr).toContain('run the same command again to continue')
  settings.fail = 0
  await ethgate(command())
  expect(await readFile(out, 'utf8')).toBe(expected(0, 900))
})

test('behavior: a range that a replica has not reached yet is retried', async () => {
  settings.behind = 2
  settings.head = 500
  const retried = await ethgate(command('--to-block', 'latest'))
  expect(retried.code).toBe(0)
  expect(retried.stderr).toContain('beyond current head block')
  expect(await readFile(out, 'utf8')).toBe(expected(0, 500))
})

test('error: another search, a foreign file, a reorg of exported blocks', async () => {
  settings.head = 100
  await ethgate(command('--to-block', 'latest'))
  const other = await ethgate(command('--address', '0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c'))
  expect(other.code).toBe(2)
  expect(other.stderr).toContain('contains another export')

  settings.fork = 'b'
  settings.head = 120
  const forked = await ethgate(command('--to-block', 'latest'))
  expect(forked.code).toBe(1)
  expect(forked.stderr).toContain('has changed since the export (reorg)')
  expect((await ethgate(command('--to-block', 'latest', '--force'))).code).toBe(0)

  const foreign = join(folder, 'notes.txt')
  await writeFile(foreign, 'mine\n')
  const refused = await ethgate(['logs', '--rpc-url', server.url, '--out', foreign])
  expect(refused.code).toBe(2)
  expect(await readFile(foreign, 'utf8')).toBe('mine\n')
})

test('error: one block with more logs than the server returns', async () => {
  settings.maxResults = 100
  const run = await ethgate(command())
  expect(run.code).toBe(1)
  expect(run.stderr).toContain('block 5000 alone has more logs than the server returns')
})

test('behavior: the whole recorded chain through a gateway with its usual limits', async () => {
  const served = await startGateway({ config: { logLevel: 'silent' } })
  await served.gateway.ready
  const run = await ethgate(['logs', '--rpc-url', served.url, '--out', out, '--json'])
  await served.close()
  expect(run).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(run.stdout)).toMatchObject({ from: 0, to: 223, logs: 14_825 })
  const rows = (await readFile(out, 'utf8')).trimEnd().split('\n')
  const places = rows.map((row) => {
    const { blockNumber, logIndex } = JSON.parse(row) as { blockNumber: string; logIndex: string }
    return Number(blockNumber) * 1_000_000 + Number(logIndex)
  })
  expect(places).toHaveLength(14_825)
  expect(places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0))).toBe(true)
})
