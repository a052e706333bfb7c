// The tests of a Hardhat 2 project against `ethgate dev --decimals 18`, against the project's own `hardhat node`, and in the
// process of Hardhat, in turn. The project must be installed and compiled, and have no tests that need a network of its own.
//
//   HARDHAT_PROJECT=/path/to/project npm run bench -- hardhat [test files]
//   HARDHAT_CONFIG   another configuration file of the project
//   HARDHAT_NODE_OPTIONS  NODE_OPTIONS of the processes of Hardhat
//   HARDHAT_NODE_ARGS  more options of `hardhat node`, such as "--no-deploy" for a project with hardhat-deploy
//   ETHGATE_OPTIONS  more options of `ethgate dev`, such as "--energy london"
//   BENCH_SIDES      which of "ethgate,node,process" run; "ethgate,node" by default
//   BENCH_OUTPUT     file for the failed tests of each side; the terminal by default
//   BENCH_ROUNDS=1   how often each side is measured
//   BENCH_PORT=8545
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { track } from './processes.ts'
import { compareResults, type SuiteResult, suiteResult } from './suiteResults.ts'

const project = resolve(process.env['HARDHAT_PROJECT'] ?? '')
if (!process.env['HARDHAT_PROJECT'])
  throw new Error('HARDHAT_PROJECT names the folder of a compiled Hardhat project')
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 1)
const port = process.env['BENCH_PORT'] ?? '8545'
const output = process.env['BENCH_OUTPUT']
const files = process.argv.slice(process.argv.indexOf('hardhat') + 1)
const url = `http://127.0.0.1:${port}`
const cli = ['cli', 'bootstrap']
  .map((name) => join(project, `node_modules/hardhat/internal/cli/${name}.js`))
  .find((path) => existsSync(path))
if (!cli) throw new Error(`${project} has no Hardhat 2 in node_modules`)
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const reporter = fileURLToPath(new URL('suiteReporter.cjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'hardhat-suite-'))
const config = writeConfig()

/** `hardhat node` has 20 accounts. */
const ETHGATE = ['dev', '--decimals', '18', '--accounts', '20', '--port', port]
const NODE = ['node', '--hostname', '127.0.0.1', '--port', port]

/** The arguments of Node.js that start each side; none if the tests run in the process of Hardhat. */
const sides: Record<string, readonly string[] | undefined> = {
  ethgate: [main, ...ETHGATE, ...wordsOf('ETHGATE_OPTIONS')],
  node: [cli, '--config', config, ...NODE, ...wordsOf('HARDHAT_NODE_ARGS')],
  process: undefined,
}

function wordsOf(variable: string): string[] {
  return (process.env[variable] ?? '').split(' ').filter(Boolean)
}

/**
 * Writes a configuration with the project's own one, the URL of the network `localhost`, and a reporter with the titles of
 * all tests. Its extension is that of the project's, because Hardhat runs tests in TypeScript only if the configuration is.
 */
function writeConfig(): string {
  const names = [
    'hardhat.config.ts',
    'hardhat.config.cts',
    'hardhat.config.js',
    'hardhat.config.cjs',
  ]
  const own = process.env['HARDHAT_CONFIG'] ?? names.find((name) => existsSync(join(project, name)))
  if (!own) throw new Error(`${project} has no configuration of Hardhat`)
  const file = join(folder, `config${extname(own)}`)
  writeFileSync(
    file,
    `const own = require(${JSON.stringify(resolve(project, own))})
const config = own.default ?? own
module.exports = {
  ...config,
  paths: { root: ${JSON.stringify(project)}, ...config.paths },
  networks: { ...config.networks, localhost: { ...config.networks?.localhost, url: ${JSON.stringify(url)} } },
  mocha: { ...config.mocha, bail: false, reporter: require(${JSON.stringify(reporter)}) },
}
`,
  )
  return file
}

async function isUp(): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  return fetch(url, { method: 'POST', headers, body }).then(
    (response) => response.ok,
    () => false,
  )
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('exit', resolve))
}

/** Seconds of CPU that a process has used and its greatest memory in MiB; NaN where the system does not report them. */
function usageOf({ pid }: ChildProcess): { cpu: number; memory: number } {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, memory: Number(peak) / 1024 }
  } catch {
    return { cpu: Number.NaN, memory: Number.NaN }
  }
}

const hardhatEnv = { ...process.env, NODE_OPTIONS: process.env['HARDHAT_NODE_OPTIONS'] ?? '' }

async function startNode(args: readonly string[]): Promise<ChildProcess> {
  if (await isUp()) throw new Error(`something listens at ${url} already`)
  const env = args[0] === main ? process.env : hardhatEnv
  const node = track(spawn(process.execPath, args, { cwd: project, env, stdio: 'ignore' }))
  while (!(await isUp())) {
    if (node.exitCode !== null) throw new Error(`${args.join(' ')} ended`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return node
}

type Outcome = SuiteResult & { seconds: number; cpu: number; memory: number }

async function measure(args: readonly string[] | undefined, network: string): Promise<Outcome> {
  const node = args && (await startNode(args))
  const result = join(folder, 'result.json')
  rmSync(result, { force: true })
  try {
    const before = node && usageOf(node)
    const began = performance.now()
    const suite = spawn(
      process.execPath,
      [cli as string, '--config', config, 'test', '--no-compile', '--network', network, ...files],
      {
        cwd: project,
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...hardhatEnv, SUITE_RESULT: result },
      },
    )
    await ended(suite)
    const seconds = (performance.now() - began) / 1000
    const usage = node && usageOf(node)
    return {
      ...suiteResult(readFileSync(result, 'utf8')),
      seconds,
      cpu: (usage?.cpu ?? Number.NaN) - (before?.cpu ?? 0),
      memory: usage?.memory ?? Number.NaN,
    }
  } finally {
    node?.kill()
    if (node) await ended(node)
  }
}

const chosen = (process.env['BENCH_SIDES'] ?? 'ethgate,node').split(',')
const outcomes: Record<string, Outcome> = {}
const table = new Table({
  head: ['side', 'passed', 'failed', 'skipped', 'of all', 'seconds', 'CPU seconds', 'memory, MiB'],
})
try {
  for (let round = 0; round < rounds; round++)
    for (const side of chosen) {
      const outcome = await measure(sides[side], side === 'process' ? 'hardhat' : 'localhost')
      outcomes[side] = outcome
      const { cpu, failed, memory, passed, seconds, skipped } = outcome
      const counts = [passed.size, failed.size, skipped.size, passed.size + failed.size]
      table.push([side, ...counts, seconds.toFixed(0), cpu.toFixed(0), memory.toFixed(0)])
    }
} finally {
  rmSync(folder, { recursive: true })
  // Also after an error, because a side can take hours.
  console.log(table.toString())
  const text = compareResults(outcomes)
  if (output === undefined) console.log(text)
  else writeFileSync(output, `${text}\n`)
}
