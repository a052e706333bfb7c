import { createRequire } from 'node:module'

import type * as ioredis from 'ioredis'
import type { Cluster, Redis, RedisOptions as AllOptions } from 'ioredis'

import type { RedisAddress } from './redisAddress.ts'

// The library is loaded with the first connection: most gateways that start have no Redis.
const require = createRequire(import.meta.url)

/** A connection to one server, to the master that Sentinels name, or to all masters of a cluster. */
export type RedisClient = Cluster | Redis

/** The servers that take writes: the masters of a cluster, or the one server. */
export function serversOf(client: RedisClient): Redis[] {
  return 'nodes' in client ? client.nodes('master') : [client]
}

/** Replies come in the shapes of RESP2, as the constructors default to. */
type RedisOptions = Omit<AllOptions, 'replyMapping'>

/** Milliseconds without an answer after which a connection is closed, because the server may be dead. */
const SOCKET_TIMEOUT = 3_000

/** Longest pause between attempts to connect again, milliseconds. */
const RECONNECT = 500

/** Milliseconds between two reads of which master has which keys. A failover is noticed in this time. */
const SLOTS_REFRESH = 1_000

/**
 * Connects in the background, and again when the connection is lost. Without a connection, commands fail at once. A command
 * whose answer was lost is never sent again, because it may have been executed.
 *
 * @param onFault - called with each failure of a connection
 */
export function connectRedis(
  address: RedisAddress,
  { onFault }: connectRedis.Options,
): RedisClient {
  const { db, family, hosts, kind, master, password, path, tls, username } = address
  const { Cluster, Redis } = require('ioredis') as typeof ioredis
  const pause = (attempt: number) => Math.min(25 * 2 ** Math.min(attempt, 10), RECONNECT)
  const options: RedisOptions = {
    autoResendUnfulfilledCommands: false,
    connectTimeout: 2_000,
    db,
    family,
    maxRetriesPerRequest: 0,
    ...(password !== undefined && { password }),
    socketTimeout: SOCKET_TIMEOUT,
    ...(tls && { tls }),
    ...(username !== undefined && { username }),
  }
  if (kind === 'cluster') {
    const cluster = new Cluster(hosts, {
      clusterRetryStrategy: pause,
      // Names are resolved by each connection, so that the certificate of a server is compared with its name.
      dnsLookup: (name, done) => done(null, name),
      // Commands may wait for the connection to a server that has become a master, not for the cluster: see `run` in redis.ts.
      enableOfflineQueue: true,
      redisOptions: options,
      retryDelayOnClusterDown: 0,
      // By default a command is sent again when the connection broke before its answer.
      retryDelayOnFailover: 0,
      slotsRefreshInterval: SLOTS_REFRESH,
    })
    cluster.on('node error', onFault)
    cluster.on('error', onFault)
    return cluster
  }
  const redis = new Redis({
    ...options,
    enableOfflineQueue: false,
    retryStrategy: pause,
    ...(kind === 'single' ? (path === undefined ? hosts[0] : { path }) : sentinelOptions()),
  })
  redis.on('error', onFault)
  return redis

  function sentinelOptions(): RedisOptions {
    return {
      // Closes the connection when the Sentinels choose another master, even if the old one still answers.
      failoverDetector: true,
      ...(master !== undefined && { name: master }),
      // A master that has become a replica: the next connection asks the Sentinels.
      reconnectOnError: (error) => error.message.startsWith('READONLY'),
      sentinelRetryStrategy: pause,
      sentinels: hosts,
      ...(address.sentinelUsername && { sentinelUsername: address.sentinelUsername }),
      ...(address.sentinelPassword && { sentinelPassword: address.sentinelPassword }),
      ...(tls && { enableTLSForSentinelMode: true, sentinelTLS: tls }),
    }
  }
}

export declare namespace connectRedis {
  type Options = { onFault: (error: Error) => void }
}
