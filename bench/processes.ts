import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A load run: `amount` requests, or as many as possible in `seconds`. It sends the bodies in turn. */
export type Load = {
  url: string
  bodies: string[]
  connections?: number
  amount?: number
  seconds?: number
  /** The process that answers. With it, the figures have its CPU time. */
  pid?: number | undefined
}

/** The result of a load: requests a second, milliseconds, failed requests. */
export type Figures = {
  perSecond: number
  p99: number
  failed: number
  requests: number
  /** CPU time of the server for one request, microseconds, kernel included. Absent where the system does not report it. */
  cpu?: number | undefined
}

/** Bytes after a collection. */
export type Memory = { heapUsed: number; rss: number; external: number }

const children: ChildProcess[] = []

/** Ends every tracked process, so that the bench can end. */
export function endAll(): void {
  for (const child of children) child.kill()
}

/** Ends one process and waits for its end. */
export async function endGateway(pid: number | undefined): Promise<void> {
  const child = children.find((child) => child.pid === pid)
  if (!child) return
  child.kill()
  await once(child, 'exit')
}

// Also when the bench throws.
process.on('exit', endAll)

/** The load generator. */
export function startLoad(): { run(load: Load): Promise<Figures> } {
  const child = track(fork(file('load.mjs')))
  return {
    async run({ pid, ...load }) {
      const before = cpuTime(pid)
      const figures = await ask<Figures>(child, { connections: 32, ...load })
      const after = cpuTime(pid)
      if (before === undefined || after === undefined) return figures
      return { ...figures, cpu: (after - before) / figures.requests }
    },
  }
}

/** CPU time of the threads of a process so far, microseconds; undefined where there is no /proc. */
export function cpuTime(pid: number | undefined): number | undefined {
  const folder = `/proc/${pid}/task`
  if (pid === undefined || !existsSync(folder)) return undefined
  // Nanoseconds, where /proc/PID/stat counts hundredths of a second.
  const threads = readdirSync(folder).map((thread) => `${folder}/${thread}/schedstat`)
  return threads.reduce((sum, file) => sum + Number(textOf(file).split(' ')[0]), 0) / 1_000
}

/** A thread may have ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return '0'
  }
}

/** The bare server, which also passes requests on to the node, and those for `/rpc` to its JSON-RPC. */
export async function startBare(
  upstream: string,
  rpc = upstream,
): Promise<{
  pid: number | undefined
  url: string
  put(name: string, bytes: Uint8Array): Promise<void>
}> {
  const child = track(fork(file('bare.mjs'), [upstream, rpc]))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    pid: child.pid,
    url,
    async put(name, bytes) {
      await fetch(`${url}/${name}`, { method: 'PUT', body: new Uint8Array(bytes) })
    },
  }
}

/** The compiled command `serve` of this build, or of the one with another `dist/main.js`. */
export async function startGateway(
  args: string[],
  main = file('../dist/main.js'),
): Promise<{ pid: number | undefined; url: string; memory: () => Promise<Memory> }> {
  const child = track(
    spawn(
      process.execPath,
      ['--expose-gc', '--import', file('memory.mjs'), main, 'serve', '--port', '0', ...args],
      { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
    ),
  )
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const found = /"url":"([^"]+)"/.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error('the gateway did not start')))
  })
  return { pid: child.pid, url, memory: () => ask<Memory>(child, 'memory') }
}

/** A node that replays the recording; used without a real node. */
export async function startReplay(): Promise<{ url: string; solidityUrl: string }> {
  const child = track(fork(file('replay.ts'), { execArgv: ['--import', 'tsx'] }))
  const [addresses] = (await once(child, 'message')) as [{ url: string; solidityUrl: string }]
  return addresses
}

/** Registers a process that ends with the bench. */
export function track<child extends ChildProcess>(child: child): child {
  children.push(child)
  return child
}

async function ask<answer>(child: ChildProcess, question: object | string): Promise<answer> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [answer]
  return answer
}
