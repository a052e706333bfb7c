import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import Table from 'cli-table3'

import { freePort } from '../test/support/freePort.ts'
import { startRedis } from '../test/support/redis.ts'
import { haproxyConfig, nginxConfig } from './balancers.ts'
import { print } from './print.ts'
import { type DrillGateway, startGateway, startNode, track } from './processes.ts'
import { callText } from './requests.ts'

const REPLICAS = 3
const ROUNDS = 3
const CLIENTS = 8

/**
 * Restarts three replicas in sequence, three times, while requests arrive through nginx, through HAProxy, and from
 * keep-alive clients with the addresses of all replicas. @returns whether no request failed.
 */
export async function rolling(): Promise<boolean> {
  install(['nginx', 'haproxy'])
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-rolling-'))
  const node = await startNode()
  const redis = await startRedis()
  const start = (port: number) =>
    startGateway({ flags: ['--redis', redis.url], port, upstream: node.url })
  const ports: number[] = []
  const replicas: DrillGateway[] = []
  for (let replica = 0; replica < REPLICAS; replica++) {
    const port = await freePort()
    ports.push(port)
    replicas.push(await start(port))
  }
  try {
    const nginx = await startNginx(directory, ports)
    const haproxy = await startHaproxy(directory, ports)
    const loads = [
      startLoad('nginx', () => nginx),
      startLoad('HAProxy', () => haproxy),
      startLoad('keep-alive clients', (moves) => ports[moves % REPLICAS] ?? 0),
    ]
    await sleep(2_000)
    let restarts = 0
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, port] of ports.entries()) {
        await replicas[index]?.end('SIGTERM')
        replicas[index] = await start(port)
        process.stderr.write(`restart ${++restarts} of ${ROUNDS * REPLICAS}\n`)
        // nginx uses a replica again two seconds after it failed.
        await sleep(2_500)
      }
    const table = new Table({
      head: ['requests over', 'restarts', 'requests', 'failed', 'first failure'],
    })
    let failures = 0
    for (const load of loads) {
      const { failed, first, name, requests } = await load.stop()
      failures += failed
      table.push([name, restarts, requests, failed, first ?? ''])
    }
    print(table)
    return failures === 0
  } finally {
    for (const replica of replicas) await replica.end()
    await redis.close()
    rmSync(directory, { recursive: true })
  }
}

type Load = {
  stop(): Promise<{ failed: number; first: string | undefined; name: string; requests: number }>
}

/**
 * Sends requests without pause over keep-alive connections.
 *
 * @param portOf - the port for a client, by the number of its closed connections.
 */
function startLoad(name: string, portOf: (moves: number) => number): Load {
  const life = { over: false }
  let requests = 0
  let failed = 0
  let first: string | undefined
  const fail = (reason: string) => {
    failed++
    first ??= reason
  }
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let moves = 0
    while (!life.over) {
      requests++
      try {
        const port = portOf(moves)
        const outgoing = request({ agent, host: '127.0.0.1', method: 'POST', port })
        outgoing.end(callText('eth_blockNumber'))
        const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
        let text = ''
        for await (const chunk of incoming.setEncoding('utf8')) text += chunk as string
        if (incoming.statusCode !== 200 || !text.includes('"result"'))
          fail(`${incoming.statusCode} ${text.slice(0, 80)}`)
        if (incoming.headers.connection === 'close') moves++
      } catch (error) {
        fail(String(error))
        moves++
      }
      await sleep(5)
    }
    agent.destroy()
  }
  const done = Promise.all(Array.from({ length: CLIENTS }, client))
  return {
    async stop() {
      life.over = true
      await done
      return { failed, first, name, requests }
    },
  }
}

async function startNginx(directory: string, replicas: readonly number[]): Promise<number> {
  const port = await freePort()
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, nginxConfig({ directory, port, replicas }))
  track(spawn('nginx', ['-p', directory, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] }))
  await waitUntilReady(port)
  return port
}

async function startHaproxy(directory: string, replicas: readonly number[]): Promise<number> {
  const port = await freePort()
  const file = join(directory, 'haproxy.cfg')
  writeFileSync(file, haproxyConfig({ port, replicas }))
  track(spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'ignore'] }))
  await waitUntilReady(port)
  return port
}

async function waitUntilReady(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const response = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
  throw new Error(`nothing answers on port ${port}`)
}

/** Installs the Debian packages that are missing. */
function install(packages: readonly string[]): void {
  const missing = packages.filter((name) => {
    try {
      execFileSync('which', [name], { stdio: 'ignore' })
      return false
    } catch {
      return true
    }
  })
  if (missing.length > 0)
    execFileSync('apt-get', ['install', '-y', ...missing], { stdio: ['ignore', 2, 2] })
}
