import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A load run: `amount` requests, or as many as possible in `seconds`. It sends the bodies in turn. */
export type Load = {
  url: string
  bodies: string[]
  connections?: number
  amount?: number
  seconds?: number
}

export type Figures = { perSecond: number; p99: number; failed: number }

/** Bytes after a collection. */
export type Memory = { heapUsed: number; rss: number; external: number }

const children: ChildProcess[] = []

/** Ends every process that this module started. */
export function endAll(): void {
  for (const child of children) child.kill()
}

/** The load generator. */
export function startLoad(): { run(load: Load): Promise<Figures> } {
  const child = track(fork(file('load.mjs')))
  return {
    run: (load) => ask<Figures>(child, { connections: 32, ...load }),
  }
}

/** The bare server, which also passes requests on to the node. */
export async function startBare(
  upstream: string,
): Promise<{ url: string; put(name: string, bytes: Uint8Array): Promise<void> }> {
  const child = track(fork(file('bare.mjs'), [upstream]))
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    async put(name, bytes) {
      await fetch(`${url}/${name}`, { method: 'PUT', body: new Uint8Array(bytes) })
    },
  }
}

/** The compiled command `serve`. */
export async function startGateway(
  args: string[],
): Promise<{ url: string; memory: () => Promise<Memory> }> {
  const child = track(
    spawn(
      process.execPath,
      [
        '--expose-gc',
        '--import',
        file('memory.mjs'),
        file('../dist/main.js'),
        'serve',
        '--port',
        '0',
        ...args,
      ],
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
  return { url, memory: () => ask<Memory>(child, 'memory') }
}

/** A node that replays the recording; used without a real node. */
export async function startReplay(): Promise<{ url: string; solidityUrl: string }> {
  const child = track(fork(file('replay.ts'), { execArgv: ['--import', 'tsx'] }))
  const [addresses] = (await once(child, 'message')) as [{ url: string; solidityUrl: string }]
  return addresses
}

function track<child extends ChildProcess>(child: child): child {
  children.push(child)
  return child
}

async function ask<answer>(child: ChildProcess, question: object | string): Promise<answer> {
  child.send(question)
  const [answer] = (await once(child, 'message')) as [answer]
  return answer
}
