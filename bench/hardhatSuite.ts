// The tests of a Hardhat 2 project against `ethgate dev --decimals 18` and against the project's own `hardhat node`, in turn.
// The project must be installed and compiled, and have no tests that need a network of its own.
//
//   HARDHAT_PROJECT=/path/to/project npm run bench -- hardhat [test files]
//   BENCH_ROUNDS=1   how often each node is measured
//   HARDHAT_CONFIG   another configuration file of the project; its network localhost must be http://127.0.0.1:8545
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

const URL_OF_NODE = 'http://127.0.0.1:8545'

/** Accounts of `hardhat node`. */
const ACCOUNTS = '20'

const project = process.env['HARDHAT_PROJECT']
if (!project) throw new Error('HARDHAT_PROJECT names the folder of a compiled Hardhat project')
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 1)
const files = process.argv.slice(process.argv.indexOf('hardhat') + 1)
const hardhat = join(project, 'node_modules/hardhat/internal/cli/bootstrap.js')
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

const nodes: Record<string, readonly string[]> = {
  ethgate: [main, 'dev', '--decimals', '18', '--accounts', ACCOUNTS],
  'hardhat node': [hardhat, 'node'],
}

type Outcome = { passing: string; pending: string; failing: string; seconds: number; cpu: number }

async function isUp(): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  return fetch(URL_OF_NODE, { method: 'POST', headers, body }).then(
    (response) => response.ok,
    () => false,
  )
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('exit', resolve))
}

/** Seconds of CPU that a process has used; NaN where the system does not report it. */
function cpuOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return Number.NaN
  }
}

async function measure(args: readonly string[]): Promise<Outcome> {
  if (await isUp()) throw new Error(`something listens at ${URL_OF_NODE} already`)
  const node = spawn(process.execPath, args, { cwd: project, stdio: 'ignore' })
  try {
    while (!(await isUp())) {
      if (node.exitCode !== null) throw new Error(`${args.join(' ')} ended`)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const cpu = cpuOf(node)
    const began = performance.now()
    const suite = spawn(
      process.execPath,
      [hardhat, 'test', '--no-compile', '--network', 'localhost', ...files],
      { cwd: project, stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let text = ''
    suite.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
    await ended(suite)
    const count = (what: string) => new RegExp(`(\\d+) ${what}`).exec(text)?.[1] ?? '0'
    return {
      passing: count('passing'),
      pending: count('pending'),
      failing: count('failing'),
      seconds: (performance.now() - began) / 1000,
      cpu: cpuOf(node) - cpu,
    }
  } finally {
    node.kill()
    await ended(node)
  }
}

const table = new Table({
  head: ['node', 'passing', 'pending', 'failing', 'seconds', 'CPU seconds of the node'],
})
for (let round = 0; round < rounds; round++)
  for (const [name, args] of Object.entries(nodes)) {
    const { cpu, failing, passing, pending, seconds } = await measure(args)
    table.push([name, passing, pending, failing, seconds.toFixed(0), cpu.toFixed(0)])
  }
console.log(table.toString())
