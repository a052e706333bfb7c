// The forms in which operators run Redis, as real processes: TLS, Sentinel, Cluster.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Redis } from 'ioredis'

import { freePort } from './freePort.ts'
import { hasProgram, makeCertificates, settle, words } from './programs.ts'
import { REDIS_SERVER, redisServerMissing, startRedis, type TestRedis } from './redis.ts'

/** Why tests that need Redis and openssl cannot run here; undefined if they can. */
export const enginesMissing: string | undefined =
  redisServerMissing ?? (hasProgram('openssl') ? undefined : 'no openssl on the PATH')

/** A started engine: its address for `--redis`, and its servers. */
export type RedisEngine = { url: string; close(): Promise<void> }

/** A Redis with TLS that asks for client certificates, a user, and a password. */
export async function startSecureRedis(): Promise<RedisEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-tls-'))
  const { ca, cert, key } = makeCertificates(directory)
  const port = await freePort()
  const redis = await startRedis({
    settings: words(
      `--tls-port ${port} --tls-ca-cert-file ${ca} --tls-cert-file ${cert} --tls-key-file ${key} --user gateway on >p@ss/word ~* +@all`,
    ),
  })
  const files = new URLSearchParams({ ca, cert, key })
  return {
    url: `rediss://gateway:p%40ss%2Fword@127.0.0.1:${port}/3?${files.toString()}`,
    async close() {
      await redis.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** A Redis on a Unix socket, with a password. */
export async function startSocketRedis(): Promise<RedisEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-socket-'))
  const path = join(directory, 'redis.sock')
  const redis = await startRedis({
    settings: words(`--unixsocket ${path} --user gateway on >secret ~* +@all`),
  })
  return {
    url: `redis+unix://gateway:secret@${path}?db=2`,
    async close() {
      await redis.close()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** One master with replicas, and Sentinels that replace it after half a second. */
export type SentinelEngine = RedisEngine & {
  nodes: TestRedis[]
  /** The server that the Sentinels call master. */
  master(): Promise<TestRedis>
}

/** Starts so many servers, the first as the master, and so many Sentinels. */
export async function startSentinel({
  sentinels = 1,
  servers = 2,
  settings = [],
}: {
  sentinels?: number
  servers?: number
  settings?: readonly string[]
} = {}): Promise<SentinelEngine> {
  const eager = [...settings, '--repl-diskless-sync-delay', '0']
  const first = await startRedis({ settings: eager })
  const replicaOf = ['--replicaof', '127.0.0.1', String(first.port)]
  const nodes = [
    first,
    ...(await Promise.all(
      Array.from({ length: servers - 1 }, () => startRedis({ settings: [...eager, ...replicaOf] })),
    )),
  ]
  const directory = mkdtempSync(join(tmpdir(), 'ethgate-sentinel-'))
  const quorum = Math.floor(sentinels / 2) + 1
  const ports = await Promise.all(Array.from({ length: sentinels }, freePort))
  const children = ports.map((port) => {
    const file = join(directory, `${port}.conf`)
    writeFileSync(
      file,
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${directory}`,
        `sentinel monitor main 127.0.0.1 ${first.port} ${quorum}`,
        'sentinel down-after-milliseconds main 500',
        'sentinel failover-timeout main 3000',
        'sentinel parallel-syncs main 1',
      ].join('\n'),
    )
    return spawn(REDIS_SERVER, [file, '--sentinel'], { stdio: 'ignore' })
  })
  const asking = new Redis(ports[0] as number, '127.0.0.1', { retryStrategy: () => 50 })
  asking.on('error', () => {})
  // A failover needs a Sentinel that knows the replicas and the other Sentinels.
  await settle(async () => {
    const [fields = []] = (await asking.call('SENTINEL', 'MASTERS')) as string[][]
    const of = (name: string) => Number(fields[fields.indexOf(name) + 1])
    return of('num-slaves') === servers - 1 && of('num-other-sentinels') === sentinels - 1
  })
  return {
    url: `redis+sentinel://${ports.map((port) => `127.0.0.1:${port}`).join(',')}/main/1`,
    nodes,
    async master() {
      const [, port] = (await asking.call(
        'SENTINEL',
        'GET-MASTER-ADDR-BY-NAME',
        'main',
      )) as string[]
      return nodes.find((node) => node.port === Number(port)) as TestRedis
    },
    async close() {
      asking.disconnect()
      for (const child of children) {
        child.kill('SIGKILL')
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      }
      await Promise.all(nodes.map((node) => node.close()))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Masters that share the slots evenly, each with as many replicas. */
export type ClusterEngine = RedisEngine & {
  masters: TestRedis[]
  replicas: TestRedis[]
}

/**
 * Starts a cluster of three masters, each with a replica if wanted. A dead master is replaced after a second. @param isSpread -
 * whether its address says that gateways spread their filters
 */
export async function startCluster({
  durable = true,
  isSpread = false,
  replicas = false,
  settings = [] as readonly string[],
} = {}): Promise<ClusterEngine> {
  const start = async () =>
    startRedis({
      durable,
      settings: [
        ...settings,
        ...words(
          `--cluster-enabled yes --cluster-node-timeout 1000 --cluster-port ${await freePort()} --repl-diskless-sync-delay 0`,
        ),
      ],
    })
  const nodes = await Promise.all(Array.from({ length: replicas ? 6 : 3 }, start))
  const masters = nodes.slice(0, 3)
  const clients = nodes.map(({ url }) => new Redis(url))
  const busPort = async (client: Redis) => String((await client.config('GET', 'cluster-port'))[1])
  const [first] = clients as [Redis]
  for (const [index, client] of clients.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1)
    const from = Math.floor((16_384 * index) / 3)
    const to = Math.floor((16_384 * (index + 1)) / 3) - 1
    if (index < 3) await client.call('CLUSTER', 'ADDSLOTSRANGE', from, to)
    if (client !== first)
      await first.call(
        'CLUSTER',
        'MEET',
        '127.0.0.1',
        String(nodes[index]?.port),
        await busPort(client),
      )
  }
  const isComplete = async (client: Redis) => {
    const info = (await client.call('CLUSTER', 'INFO')) as string
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${nodes.length}`)
  }
  for (const client of clients) await settle(() => isComplete(client))
  for (const [index, client] of clients.entries())
    if (index >= 3) {
      const id = (await clients[index - 3]?.call('CLUSTER', 'MYID')) as string
      await client.call('CLUSTER', 'REPLICATE', id)
      await settle(async () => (await client.info('replication')).includes('master_link_status:up'))
    }
  for (const client of clients) client.disconnect()
  return {
    url: `redis+cluster://${masters.map(({ port }) => `127.0.0.1:${port}`).join(',')}${isSpread ? '?filters=spread' : ''}`,
    masters,
    replicas: nodes.slice(3),
    async close() {
      await Promise.all(nodes.map((node) => node.close()))
    },
  }
}
