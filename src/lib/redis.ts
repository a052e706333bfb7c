import { createHash } from 'node:crypto'

import type { Cluster } from 'ioredis'

import { RpcError } from './errors.ts'
import { parseRedisAddress } from './redisAddress.ts'
import { connectRedis, type RedisClient, serversOf } from './redisClient.ts'
import { within } from './within.ts'

/** Milliseconds that one command may take. */
const COMMAND_TIMEOUT = 2_000

/** Milliseconds between attempts to write while Redis refuses writes. */
const WRITE_CHECK = 1_000

/** Keys with slots of their own for each master: all of them miss one of twenty masters once in ten million. */
const CHECKS_PER_MASTER = 16

/** Milliseconds that replicas have to confirm a write: less than a command. */
const COPY_TIMEOUT = 1_000

/** `refusing`: connected, but writes fail, because Redis is read-only or full for example. */
export type RedisStatus = 'up' | 'refusing' | 'down'

/** The link of a replica to Redis: one connection for commands, key names, and the state for `/health`. */
export type RedisLink = ReturnType<typeof createRedisLink>

type StatusListener = (status: RedisStatus, reason: string | undefined) => void

type RedisScript = (keys: string[], args: (string | number)[]) => Promise<unknown>

/**
 * Connects in the background, and connects again when the connection is lost. Without a connection, commands fail at once
 * and are not queued. A command whose answer was lost is not sent again.
 */
export function createRedisLink({ onCommand, prefix = 'ethgate', url }: createRedisLink.Options) {
  const listeners = new Set<StatusListener>()
  let notified: RedisStatus | undefined
  /** Why the connection failed, and why writes were refused. */
  let fault: string | undefined
  let refusal: string | undefined
  let writeCheck: NodeJS.Timeout | undefined
  let isClosed = false

  const address = parseRedisAddress(url)
  const client = connectRedis(address, {
    onFault(error) {
      fault = error.message
    },
  })
  if (onCommand) watchCommands(client, onCommand)
  client.on('ready', notify)
  client.on('close', notify)

  function status(): RedisStatus {
    if (client.status !== 'ready') return 'down'
    return refusal === undefined ? 'up' : 'refusing'
  }

  function notify(): void {
    const now = status()
    if (now === notified) return
    notified = now
    if (now === 'up') fault = undefined
    for (const listener of listeners) listener(now, now === 'down' ? fault : refusal)
  }

  /** The state of a cluster of which one master cannot be reached. A single server is then down. */
  function lossIn(error: unknown): string | undefined {
    const isLoss =
      address.kind === 'cluster' &&
      /^Connection is closed|^Command timed out|ECONN|ETIMEDOUT/.test((error as Error).message)
    return isLoss ? 'a master of its cluster is unreachable' : undefined
  }

  /** Records that Redis refuses writes, and tries a write periodically until one succeeds. */
  function noteRefusal(error: unknown): void {
    const reason = refusalIn(error) ?? lossIn(error)
    if (reason === undefined || refusal !== undefined) return
    refusal = reason
    notify()
    scheduleCheck()
  }

  function scheduleCheck(): void {
    if (!isClosed) writeCheck = setTimeout(() => void checkWrites(), WRITE_CHECK)
  }

  /** The keys whose writes are tried: enough that each master gets one, where keys are spread over several. */
  function checkedKeys(): string[] {
    const key = keyOf('write-check')
    if (!address.isSpread) return [key]
    const count = CHECKS_PER_MASTER * serversOf(client).length
    return [key, ...Array.from({ length: count }, (_, index) => ownKeyOf(`write-check:${index}`))]
  }

  /** One check at a time, because a failed check that ends after a successful one would not be repeated. */
  async function checkWrites(): Promise<void> {
    if (client.status !== 'ready') return scheduleCheck()
    try {
      const writes = checkedKeys().map((key) => client.set(key, '1', 'PX', 60_000))
      // Without a limit: a connection without answers ends, and the next write is tried after that.
      await Promise.all([...writes, ...serversOf(client).map((server) => server.ping())])
      refusal = undefined
      notify()
    } catch (error) {
      // A new connection may lead to another server, which refuses for another reason.
      refusal = refusalIn(error) ?? refusal
      scheduleCheck()
    }
  }

  async function run<result>(commands: (client: RedisClient) => Promise<result>): Promise<result> {
    if (client.status !== 'ready') throw new StoreUnavailableError(new Error(fault ?? 'connecting'))
    try {
      return await inTime(commands(client))
    } catch (error) {
      noteRefusal(error)
      throw new StoreUnavailableError(error)
    }
  }

  const keyOf = (name: string) => `{${prefix}}:${name}`
  const ownKeyOf = (name: string) => `{${prefix}:${name}}`

  return {
    client,
    /** The full name of a key. All keys of a prefix have one hash tag, so scripts over several keys work in Redis Cluster. */
    key: keyOf,
    /**
     * The full names of a key that needs no other key, the one of a new key first. In a Cluster it has a hash tag of its own if the
     * address says `filters=spread`, and it is looked for under both names, so that replicas may run with and without it.
     */
    spreadKeys(name: string): [string, ...string[]] {
      if (address.kind !== 'cluster') return [keyOf(name)]
      const own = ownKeyOf(name)
      return address.isSpread ? [own, keyOf(name)] : [keyOf(name), own]
    },
    /** A Lua script. Its text is sent once. @throws StoreUnavailableError */
    script(lua: string): RedisScript {
      const sha = createHash('sha1').update(lua).digest('hex')
      return (keys, args) =>
        run(async () => {
          try {
            return await client.evalsha(sha, keys.length, ...keys, ...args)
          } catch (error) {
            if (!(error as Error).message.startsWith('NOSCRIPT')) throw error
            return client.eval(lua, keys.length, ...keys, ...args)
          }
        })
    },
    /** Runs commands. @throws StoreUnavailableError when Redis is unreachable or refuses them. */
    run,
    /**
     * Resolves when as many replicas as the address wants (`wait`) have what was written to a key, so that it outlives its
     * server. @throws NotCopiedError, StoreUnavailableError
     */
    async assertCopied(key: string) {
      const { wait } = address
      if (wait === 0) return
      // A write of this connection after the record: a replica that has it has the record too. The record is looked for
      // because the connection may lead to another server by now.
      const answers = await run((client) =>
        client
          .pipeline()
          .exists(key)
          .set(keyOf('copied'), '1', 'PX', 60_000)
          .wait(wait, COPY_TIMEOUT)
          .exec(),
      )
      const failure = answers?.find(([error]) => error)?.[0]
      if (failure) throw new StoreUnavailableError(failure)
      const [found, , copies] = (answers ?? []).map(([, value]) => Number(value))
      if (found !== 1 || (copies ?? 0) < wait) throw new NotCopiedError()
    },
    /** A separate connection for blocking commands. The caller disconnects it. */
    blocking() {
      // The other connection reports its faults.
      return connectRedis(address, { onFault() {} })
    },
    status,
    /** Why Redis cannot be used, as text for operators; undefined if it can. */
    problem() {
      if (status() === 'up') return undefined
      if (status() === 'refusing') return `Redis refuses writes (${refusal})`
      return 'Redis is unreachable'
    },
    /** Calls the listener when the status changes, with the reason for logs. Returns the function that removes it. */
    onStatus(listener: StatusListener): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      isClosed = true
      clearTimeout(writeCheck)
      client.disconnect()
    },
  }
}

export declare namespace createRedisLink {
  type Options = {
    /** Called with the name of each command that is sent. The returned function is called when the command has ended. */
    onCommand?: OnCommand
    /** An address that `parseRedisAddress` reads. */
    url: string
    /** Different chains, and gateways that share nothing, need different prefixes. @default 'ethgate' */
    prefix?: string | undefined
  }
}

type OnCommand = (name: string) => ((failure?: string) => void) | undefined

type Send = Cluster['sendCommand']

/** Watches the function through which every command goes, also those of scripts and pipelines. */
function watchCommands(client: RedisClient, onCommand: OnCommand): void {
  const send: Send = client.sendCommand.bind(client)
  client.sendCommand = (...[command, ...rest]: Parameters<Send>) => {
    const end = onCommand(command.name)
    if (end)
      command.promise.then(
        () => end(),
        (error: unknown) => end((error as Error).name),
      )
    return send(command, ...rest)
  }
}

/** The answer, while it is in time. What a busy process reads late came in time: a limit of the library would not see that. */
const inTime = <result>(answer: Promise<result>) =>
  within(answer, COMMAND_TIMEOUT, () => new Error('Command timed out'))

/** Why Redis refuses a write in its present state; undefined for any other error. */
function refusalIn(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : ''
  // For an error inside a script, Redis 6 writes the code in the middle of the message.
  const code = /(?:^|[\s-])(READONLY|OOM|MISCONF|NOREPLICAS|NOPERM|NOAUTH|CLUSTERDOWN)\b/.exec(
    message,
  )
  return code?.[1] === undefined ? undefined : REFUSALS[code[1]]
}

const REFUSALS: Record<string, string> = {
  CLUSTERDOWN: 'its cluster is down',
  MISCONF: 'it cannot save its data to disk',
  NOAUTH: 'it requires a password',
  NOPERM: 'its user has no permission for these keys',
  NOREPLICAS: 'it has too few replicas',
  OOM: 'its memory is full',
  READONLY: 'it is a read-only replica',
}

/** `-32603`: Redis is unreachable or refuses a command. Reads of the chain continue, filters fail. Clients may retry. */
export class StoreUnavailableError extends RpcError {
  override name = 'StoreUnavailableError'

  constructor(cause: unknown) {
    const reason = refusalIn(cause)
    const state = reason === undefined ? 'is unavailable' : `refuses writes (${reason})`
    super(-32603, `the shared store (Redis) ${state}, try again later`, { cause })
  }
}

/** `-32603`: too few replicas of Redis have the record of a transaction, so it is not sent. Clients may retry. */
class NotCopiedError extends RpcError {
  override name = 'NotCopiedError'

  constructor() {
    super(
      -32603,
      'the transaction was not sent: too few replicas of the shared store (Redis) have its record, try again later',
    )
  }
}
