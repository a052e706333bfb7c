import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { freePort } from '../test/support/freePort.ts'
import type { DrillNode } from './case.ts'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const children = new Set<ChildProcess>()

/** Ends every tracked process, so that the drill can end. */
export function endAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

// Also when the drill throws.
process.on('exit', endAll)

/** A gateway process. */
export type DrillGateway = {
  url: string
  port: number
  pid: number
  exited: Promise<unknown>
  end(signal?: NodeJS.Signals): Promise<void>
}

/** Starts the built command, `serve`, and resolves when it is ready to answer. */
export async function startGateway({
  env = {},
  flags = [],
  log,
  main = file('../dist/main.js'),
  port = 0,
  upstream,
}: startGateway.Options): Promise<DrillGateway> {
  const taken = port === 0 ? await freePort() : port
  const output = log === undefined ? 'ignore' : openSync(log, 'a')
  const args = ['serve', '--port', String(taken), '--upstream', upstream, ...flags]
  const child = track(
    spawn(process.execPath, [main, ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    }),
  )
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${taken}`
  await waitUntilReady(url, child)
  return {
    exited,
    pid: child.pid ?? 0,
    port: taken,
    url,
    async end(signal = 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await exited
    },
  }
}

export declare namespace startGateway {
  type Options = {
    env?: Record<string, string>
    flags?: readonly string[]
    /** File that gets stdout and stderr. */
    log?: string | undefined
    /** @default the command of this build */
    main?: string
    /** @default a free one */
    port?: number
    upstream: string
  }
}

/** Starts the fake node. */
export async function startNode(): Promise<DrillNode> {
  const child = track(fork(file('node.ts'), { execArgv: ['--import', 'tsx'] }))
  const [first] = (await once(child, 'message')) as [Pick<DrillNode, 'dense' | 'head' | 'url'>]
  const ask = async (question: object) => {
    const answer = once(child, 'message')
    child.send(question)
    await answer
  }
  return { ...first, hang: (on) => ask({ hang: on }), mine: () => ask({ mine: true }) }
}

/** Milliseconds that a light client waited for its answers. */
export type Latencies = {
  count: number
  failed: number
  /** The beginning of the first answer that was no result. */
  firstFailure?: string | undefined
  p50: number
  p99: number
  max: number
}

/** What a light client calls. */
export type LightTarget = {
  url: string
  /** @default eth_blockNumber */
  body?: string
  headers?: Record<string, string>
}

/** Starts a client that calls eth_blockNumber every 20 ms without waiting for earlier answers. */
export async function startLightClient(url: string): Promise<{ stop(): Promise<Latencies> }> {
  const clients = await startLightClients([{ url }])
  return { stop: async () => (await clients.stop())[0] as Latencies }
}

/** The same for several targets, in one process. `stop` resolves to the latencies of each. */
export async function startLightClients(
  targets: readonly LightTarget[],
): Promise<{ stop(): Promise<Latencies[]> }> {
  const child = await startHelper('lightClient.ts', targets)
  return {
    async stop() {
      const latencies = await askHelper<Latencies[]>(child, 'stop')
      child.kill()
      return latencies
    },
  }
}

/** Starts a script of the drills in its own process, with an argument as JSON. Resolves with its first message. */
export async function startHelper(path: string, argument: unknown): Promise<ChildProcess> {
  const child = track(
    fork(file(path), [JSON.stringify(argument)], { execArgv: ['--import', 'tsx'] }),
  )
  await once(child, 'message')
  return child
}

/** Sends a message to a script and resolves to its answer. */
export async function askHelper<answer>(child: ChildProcess, message: unknown): Promise<answer> {
  const answered = once(child, 'message')
  child.send(message as object)
  return ((await answered) as [answer])[0]
}

/** Watches the memory of a process in MiB (Linux). */
export function watchMemory(pid: number): { now(): number; stop(): { peak: number } } {
  const now = () => {
    try {
      const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
      return Number(found?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }
  let peak = now()
  const timer = setInterval(() => (peak = Math.max(peak, now())), 50)
  return {
    now,
    stop() {
      clearInterval(timer)
      return { peak }
    },
  }
}

/** Registers a process that ends with the drill. */
export function track<child extends ChildProcess>(child: child): child {
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`)
    const response = await fetch(`${url}/ready`).catch(() => undefined)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not become ready within two minutes`)
}
