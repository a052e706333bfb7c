import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import Table from 'cli-table3'

import { freePort } from '../test/support/freePort.ts'
import { startRedis } from '../test/support/redis.ts'
import { haproxyConfig, nginxConfig } from './balancers.ts'
import type { DrillNode } from './case.ts'
import { install } from './install.ts'
import { print } from './print.ts'
import { type DrillGateway, startGateway, startNode, track } from './processes.ts'
import { callText } from './requests.ts'

const REPLICAS = 3
const ROUNDS = 3
const CLIENTS = 8

/** The program of this build. */
const BUILD = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/**
 * Restarts three replicas in sequence, three times, while requests arrive through nginx, through HAProxy, and from
 * keep-alive clients with the addresses of all replicas, and while a client polls a block filter. With the program of another version
 * the replicas begin with that version; they are upgraded, taken back to it, and upgraded again.
 *
 * @param names - the file `dist/main.js` of the other version, or nothing.
 * @returns whether no request failed, and the filter delivered each block once.
 */
export async function rolling([other]: readonly string[]): Promise<boolean> {
  install(['nginx', 'haproxy'])
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-rolling-'))
  const node = await startNode()
  const redis = await startRedis()
  const start = (port: number, main = other ?? BUILD) =>
    startGateway({
      flags: ['--redis', redis.url],
      port,
      upstream: node.url,
      main,
    })
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
    const filter = await startFilter(haproxy, node)
    await sleep(2_000)
    let restarts = 0
    for (let round = 0; round < ROUNDS; round++)
      for (const [index, port] of ports.entries()) {
        await replicas[index]?.end('SIGTERM')
        replicas[index] = await start(port, round % 2 === 0 ? BUILD : (other ?? BUILD))
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
    const { blocks, lost, repeated } = await filter.stop()
    process.stdout.write(`filter: ${blocks} blocks, ${lost} lost, ${repeated} delivered again\n`)
    return failures === 0 && lost === 0 && repeated === 0
  } finally {
    for (const replica of replicas) await replica.end()
    await redis.close()
    rmSync(directory, { recursive: true })
  }
}

/**
 * Makes a block every 200 ms, and polls a block filter. A poll that fails is repeated: its page is delivered again.
 *
 * @param port - of the balancer.
 */
async function startFilter(port: number, node: DrillNode) {
  const call = async (method: string, ...params: unknown[]): Promise<unknown> => {
    const options = { method: 'POST', body: callText(method, params) }
    const response = await fetch(`http://127.0.0.1:${port}`, options)
    const { error, result } = (await response.json()) as { error?: object; result?: unknown }
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }
  const first = Number(await call('eth_blockNumber'))
  const id = await call('eth_newBlockFilter')
  const life = { over: false }
  const seen: string[] = []
  const poll = async () => seen.push(...((await call('eth_getFilterChanges', id)) as string[]))
  const mine = async () => {
    let mined = 0
    for (; !life.over; mined++) {
      await node.mine()
      await sleep(200)
    }
    return mined
  }
  const read = async () => {
    while (!life.over) {
      await poll()
      await sleep(100)
    }
  }
  const done = Promise.all([mine(), read()])
  return {
    /** Counts the blocks that the filter did not deliver, and those that it delivered twice. */
    async stop() {
      life.over = true
      const [mined] = await done
      const last = first + mined
      while (Number(await call('eth_blockNumber')) < last) await sleep(50)
      await poll()
      const expected: string[] = []
      for (let number = first + 1; number <= last; number++) {
        const block = await call('eth_getBlockByNumber', `0x${number.toString(16)}`, false)
        expected.push((block as { hash: string }).hash)
      }
      const delivered = new Set(seen)
      const lost = expected.filter((hash) => !delivered.has(hash)).length
      return { blocks: mined, lost, repeated: seen.length - delivered.size }
    },
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
  track(spawn('haproxy', ['-db', '-q', '-f', file], { stdio: ['ignore', 'ignore', 'inherit'] }))
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
