import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { startRedis } from '../test/support/redis.ts'
import { print } from './print.ts'
import { startGateway, startNode, track } from './processes.ts'
import { callText, postText } from './requests.ts'

const ROUNDS = 4
const CLIENTS = 8
const BODY = callText('eth_blockNumber')

/**
 * Replaces both workers of a gateway by SIGUSR2, four times, while clients call over connections that they keep: those of `fetch`, of
 * Java, and a client that sends at once on a connection that was idle, as Go's does, which sends a POST again for no lost connection.
 *
 * @returns whether no call failed.
 */
export async function workers(): Promise<boolean> {
  const node = await startNode()
  const redis = await startRedis()
  const flags = ['--redis', redis.url, '--workers', '2', '--drain', '10000']
  const gateway = await startGateway({ flags, upstream: node.url })
  const loads: Load[] = [
    startLoad('fetch', fetchOnce(gateway.url)),
    startLoad('idle connections', sendAtOnce(gateway.port)),
    startJava(gateway.url),
  ]
  try {
    // Java compiles the source first.
    await sleep(5_000)
    for (let round = 0; round < ROUNDS; round++) {
      const before = await pidsOf(gateway.url)
      process.kill(gateway.pid, 'SIGUSR2')
      // A worker that was replaced closes its idle connections and ends.
      while (before.some(isRunning)) await sleep(100)
      process.stderr.write(`replacement ${round + 1} of ${ROUNDS}\n`)
      await sleep(1_000)
    }
    const table = new Table({ head: ['client', 'calls', 'failed', 'first failure'] })
    let failures = 0
    for (const load of loads) {
      const { calls, failed, first, name } = await load.stop()
      if (failed > 0 || calls === 0) failures++
      table.push([name, calls, failed, first])
    }
    print(table)
    return failures === 0
  } finally {
    await gateway.end()
    await redis.close()
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function pidsOf(url: string): Promise<number[]> {
  const health = (await (await fetch(`${url}/health`)).json()) as { workers: { pid: number }[] }
  return health.workers.map(({ pid }) => pid)
}

type Load = {
  stop(): Promise<{ calls: number; failed: number; first: string; name: string }>
}

/** Some clients that call again and again, after a pause that differs. */
function startLoad(name: string, call: () => Promise<string>): Load {
  const load = { isOver: false, calls: 0, failed: 0, first: '' }
  const client = async (pause: number) => {
    while (!load.isOver) {
      load.calls++
      const answer = await call().catch(({ cause, message }: Error) =>
        cause instanceof Error ? cause.message : message,
      )
      if (!answer.includes('"result"')) {
        load.failed++
        load.first ||= answer.slice(0, 80)
      }
      await sleep(pause)
    }
  }
  const done = Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(5 * index)))
  return {
    async stop() {
      load.isOver = true
      await done
      const { calls, failed, first } = load
      return { calls, failed, first, name }
    },
  }
}

const fetchOnce = (url: string) => async () =>
  (await fetch(url, { method: 'POST', body: BODY })).text()

/** Calls on the connection that was used last. One that is closed while it is idle is forgotten; one that is lost is a failure. */
function sendAtOnce(port: number): () => Promise<string> {
  const idle: Socket[] = []
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const forget = () => {
      const at = idle.indexOf(socket)
      if (at >= 0) idle.splice(at, 1)
    }
    socket.on('end', forget).on('close', forget).on('error', forget).setEncoding('utf8')
    return socket
  }
  return async () => {
    const socket = idle.pop() ?? (await open())
    const answer = await new Promise<string>((resolve) => {
      let arrived = ''
      const lose = () => resolve(`closed after ${arrived.length} bytes`)
      const arrive = (part: string) => {
        arrived += part
        if (!isWhole(arrived)) return
        socket.off('data', arrive).off('close', lose)
        resolve(arrived)
      }
      socket.on('data', arrive).on('close', lose)
      if (socket.destroyed) lose()
      else socket.write(postText(BODY))
    })
    if (/^connection: close/im.test(answer)) socket.destroy()
    else if (!socket.destroyed) idle.push(socket)
    return answer
  }
}

function isWhole(answer: string): boolean {
  const end = answer.indexOf('\r\n\r\n')
  const length = /^content-length: (\d+)/im.exec(answer)?.[1]
  return end > 0 && answer.length >= end + 4 + Number(length)
}

function startJava(url: string): Load {
  const source = fileURLToPath(new URL('KeepAlive.java', import.meta.url))
  const java: ChildProcess = track(
    spawn('java', [source, url, BODY], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const output = text(java.stdout as NonNullable<typeof java.stdout>)
  return {
    async stop() {
      java.stdin?.end()
      const [calls = '', failed = '', ...first] = (await output).trim().split(' ')
      return {
        calls: Number(calls),
        failed: Number(failed),
        first: first.join(' '),
        name: 'Java’s HttpClient',
      }
    },
  }
}
