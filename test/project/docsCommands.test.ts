import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { ethgate, type RunningCommand, startCommand, startDev } from '../support/cli.ts'

/** The commands of README.md and docs/: those of this program and requests run against a development chain. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'ethgate-commands-'))
const run = promisify(execFile)

/** Commands that this test does not run: why, or which test does. */
const ELSEWHERE: [pattern: RegExp, reason: string][] = [
  [/^npm (ci|start)\b/, 'test/project/docs.test.ts; .ci/run installs and tests'],
  [/^npm (pack|install)\b/, 'test/project/pack.test.ts'],
  [/^npm (init|pkg)\b|^npx esbuild|^node deploy/, 'test/tools/tutorial.test.ts'],
  [/^npm run drills/, 'takes minutes'],
  [/^npx hardhat/, 'test/tools/hardhat2.test.ts'],
  [/^forge /, 'test/tools/foundry.test.ts'],
  [/^cast /, 'test/tools/cast.test.ts'],
  [/\bethgate completion /, 'test/cli/cliCompletion.test.ts, in each shell'],
  [
    /^redis-server|--redis /,
    'needs a Redis on its usual port: test/replicas, test/cli/cliApiKeys.test.ts',
  ],
  [/^OTEL_/, 'needs a collector: src/gateway has a test with one'],
  [/^export /, 'test/e2e/sendDocs.test.ts sets these variables'],
]

const lines = ['README.md', ...readdirSync(join(root, 'docs')).map((file) => `docs/${file}`)]
  .filter((file) => file.endsWith('.md'))
  .flatMap((file) => {
    const blocks = readFileSync(join(root, file), 'utf8').matchAll(
      /^( *)```sh\n([\s\S]*?)^ *```$/gm,
    )
    return [...blocks].flatMap(([, , text = '']) =>
      text
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '' && !line.startsWith('#')),
    )
  })

let url = ''
const chains: RunningCommand[] = []

beforeAll(async () => {
  const chain = await startDev()
  chains.push(chain.command)
  url = chain.url
  // An index ends 64 blocks below the solidified one.
  const body = '{"jsonrpc":"2.0","id":1,"method":"anvil_mine","params":["0xc8"]}'
  await fetch(url, { method: 'POST', body })
})
afterAll(async () => {
  for (const command of chains) {
    command.process.kill('SIGTERM')
    await command.ended
  }
  rmSync(folder, { force: true, recursive: true })
})

/** The words of a command with the addresses and files of this test. */
function wordsOf(line: string): string[] {
  const here = line
    .replaceAll(/http:\/\/10\.0\.0\.2:\d+/g, url.replace('127.0.0.1', 'localhost'))
    .replaceAll(/https?:\/\/(?:127\.0\.0\.1|10\.0\.0\.1|node\.example)(?::\d+)?/g, url)
    .replaceAll('0.0.0.0', '127.0.0.1')
    .replaceAll(/(?<= )(?:\.\/logs|keys\.yaml)/g, (name) => join(folder, name))
    .replaceAll('--admin-port 9545', '--admin-port 0')
  return [...here.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare)
}

const isReason = (line: string) => ELSEWHERE.some(([pattern]) => pattern.test(line))
const own = lines.filter((line) => line.startsWith('ethgate ') && !isReason(line))
const isServer = (line: string) => /^ethgate (serve|dev)\b/.test(line)

test('behavior: each command is run here, or there is a reason', () => {
  expect(lines.length).toBeGreaterThan(40)
  const others = lines.filter((line) => !isReason(line) && !own.includes(line))
  expect(others.filter((line) => !/^(curl|rpc|rpc\(\)) /.test(line))).toEqual([])
  const unused = ELSEWHERE.filter(([pattern]) => !lines.some((line) => pattern.test(line)))
  expect(unused).toEqual([])
})

// In the order of the pages: later commands read files of earlier ones.
test.each(own.filter((line) => !isServer(line)))('default: %s', async (line) => {
  const { code, stderr } = await ethgate(wordsOf(line).slice(1))
  // Doctor, index and others report on stderr too.
  expect({ code, problem: code === 0 ? '' : stderr }).toEqual({ code: 0, problem: '' })
})

test.each([...new Set(own.filter(isServer))])('default: %s', async (line) => {
  const args = wordsOf(line).slice(1)
  const isDev = args[0] === 'dev'
  const more = isDev ? [] : ['--data-dir', 'none']
  const server = startCommand([...args, '--port', '0', ...more])
  try {
    const said = isDev ? 'JSON-RPC' : '"listening"'
    await expect.poll(() => server.stdout() + server.stderr()).toContain(said)
  } finally {
    server.process.kill('SIGTERM')
    await server.ended
  }
})

test('default: each request of curl has an answer', async () => {
  const requests = lines.filter((line) => line.startsWith('curl '))
  for (const line of new Set(requests)) {
    const { stdout } = await run('bash', ['-c', line.replace('http://127.0.0.1:8545', url)])
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: expect.anything() })
  }
})

test('default: the calls of docs/cursors.md', async () => {
  const [define = '', ...calls] = lines.filter((line) => line.startsWith('rpc'))
  const [open = '', next = '', ack = '', close = ''] = calls
  const script = [define.replace('http://127.0.0.1:8545', url), open, next, close].join('\n')
  const { stdout } = await run('bash', ['-c', script])
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { result?: unknown })
  expect(answers.map(({ result }) => result !== undefined)).toEqual([true, true, true])
  // Its cursor is one that a client has received.
  expect(ack).toContain('12:0x…')
})
