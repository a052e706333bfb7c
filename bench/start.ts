import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { startNode } from '../drills/processes.ts'
import { freePort } from '../test/support/freePort.ts'
import { packProject } from '../test/support/pack.ts'
import { median } from './median.ts'

const STARTS = 7
/** Linux counts CPU time in hundredths of a second. */
const TICK = 0.01

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Packs this build, installs the file in an empty folder as a user does, and measures the time from the command to the first answer,
 * and the CPU time of all processes until then. Prints the medians of seven starts.
 */
export async function benchStart(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'ethgate-start-'))
  try {
    const { tarball } = packProject(root, folder)
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    run(folder, 'npm', 'install', '--no-audit', '--no-fund', tarball)
    const node = await startNode()
    const program = [
      process.execPath,
      join(folder, 'node_modules', 'ethgate', 'dist', 'main.js'),
    ] as const
    const serve = ['serve', '--upstream', node.url] as const
    const table = new Table({ head: ['command', 'first answer, s', 'CPU time, s'] })
    const commands: Record<string, readonly [string, ...string[]]> = {
      'ethgate dev': [...program, 'dev'],
      'ethgate serve': [...program, ...serve],
      'npx ethgate dev': ['npx', 'ethgate', 'dev'],
      'npx ethgate serve': ['npx', 'ethgate', ...serve],
    }
    for (const [name, command] of Object.entries(commands)) {
      const starts = []
      // The first one compiles what later ones read.
      for (let start = 0; start <= STARTS; start++) starts.push(await measure(folder, command))
      const [, ...warm] = starts
      table.push([
        name,
        median(warm.map(({ seconds }) => seconds)).toFixed(2),
        median(warm.map(({ cpu }) => cpu)).toFixed(2),
      ])
    }
    console.log(`Node ${process.version}\n${table.toString()}`)
  } finally {
    rmSync(folder, { force: true, recursive: true })
  }
}

async function measure(cwd: string, command: readonly [string, ...string[]]) {
  const port = await freePort()
  const [program, ...args] = [...command, '--port', `${port}`]
  const begin = performance.now()
  // A process group of its own: npx starts further processes.
  const child = spawn(program, args, { cwd, detached: true, stdio: 'ignore' })
  const ended = once(child, 'exit')
  const group = child.pid ?? 0
  try {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended`)
      await sleep(5)
    }
    return { seconds: (performance.now() - begin) / 1000, cpu: cpuOf(group) }
  } finally {
    process.kill(-group, 'SIGTERM')
    await ended
  }
}

async function answers(port: number): Promise<boolean> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber"}'
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body }).catch(
    () => undefined,
  )
  return ((await response?.text()) ?? '').includes('"result"')
}

/** The CPU time of a process group, and of those of its processes that have ended, in seconds. */
function cpuOf(group: number): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let stat
    try {
      stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    } catch {
      // It has ended meanwhile.
      continue
    }
    // The fields after the name: state, parent, group, …; the 12th to 15th are CPU times.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(fields[2]) === group)
      ticks += fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  }
  return ticks * TICK
}

function run(cwd: string, program: string, ...args: string[]): string {
  return execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
