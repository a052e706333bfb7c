import { createHash } from 'node:crypto'

import { Redis } from 'ioredis'

import { RpcError } from './errors.ts'

/** Milliseconds that one command may take. */
const COMMAND_TIMEOUT = 2_000

/** Milliseconds without an answer after which a connection is closed, because the server may be dead. */
const SOCKET_TIMEOUT = 3_000

/** Longest pause between attempts to connect again, milliseconds. */
const RECONNECT = 500

/** Milliseconds between attempts to write while Redis refuses writes. */
const WRITE_CHECK = 1_000

/** `refusing`: connected, but writes fail, because Redis is read-only or full for example. */
export type RedisStatus = 'up' | 'refusing' | 'down'

/** The link of a replica to Redis: one connection for commands, key names, and the state for `/health`. */
export type RedisLink = {
  readonly client: Redis
  /** The full name of a key. All keys of a prefix have one hash tag, so scripts over several keys work in Redis Cluster. */
  key(name: string): string
  /** A Lua script. Its text is sent once. @throws StoreUnavailableError */
  script(lua: string): RedisScript
  /** Runs commands. @throws StoreUnavailableError when Redis is unreachable or refuses them. */
  run<result>(commands: (client: Redis) => Promise<result>): Promise<result>
  /** A separate connection for blocking commands. The caller disconnects it. */
  blocking(): Redis
  status(): RedisStatus
  /** Why Redis cannot be used, as text for operators; undefined if it can. */
  problem(): string | undefined
  /** Calls the listener when the status changes, with the reason for logs. Returns the function that removes it. */
  onStatus(listener: StatusListener): () => void
  close(): Promise<void>
}

type StatusListener = (status: RedisStatus, reason: string | undefined) => void

type RedisScript = (keys: string[], args: (string | number)[]) => Promise<unknown>

/**
 * Connects in the background, and connects again when the connection is lost. Without a connection, commands fail at once
 * and are not queued. A command whose answer was lost is not sent again.
 */
export function createRedisLink({
  onCommand,
  prefix = 'ethgate',
  url,
}: createRedisLink.Options): RedisLink {
  const listeners = new Set<StatusListener>()
  let notified: RedisStatus | undefined
  /** Why the connection failed, and why writes were refused. */
  let fault: string | undefined
  let refusal: string | undefined
  let writeCheck: NodeJS.Timeout | undefined

  const connect = (timeout: number | undefined) =>
    new Redis(url, {
      autoResendUnfulfilledCommands: false,
      ...(timeout !== undefined && { commandTimeout: timeout }),
      connectTimeout: 2_000,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(25 * 2 ** Math.min(attempt, 10), RECONNECT),
      socketTimeout: SOCKET_TIMEOUT,
    })
  const client = connect(COMMAND_TIMEOUT)
  if (onCommand) watchCommands(client, onCommand)
  client.on('error', (error: Error) => {
    fault = error.message
  })
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

  /** Records that Redis refuses writes, and tries a write periodically until one succeeds. */
  function noteRefusal(error: unknown): void {
    const reason = refusalIn(error)
    if (reason === undefined || refusal !== undefined) return
    refusal = reason
    notify()
    writeCheck = setInterval(() => void checkWrites(), WRITE_CHECK)
  }

  async function checkWrites(): Promise<void> {
    try {
      await client.set(keyOf('write-check'), '1', 'PX', 60_000)
      clearInterval(writeCheck)
      refusal = undefined
      notify()
    } catch (error) {
      // A new connection may lead to another server, which refuses for another reason.
      refusal = refusalIn(error) ?? refusal
    }
  }

  async function run<result>(commands: (client: Redis) => Promise<result>): Promise<result> {
    try {
      return await commands(client)
    } catch (error) {
      noteRefusal(error)
      throw new StoreUnavailableError(error)
    }
  }

  const keyOf = (name: string) => `{${prefix}}:${name}`

  return {
    client,
    key: keyOf,
    script(lua) {
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
    run,
    blocking() {
      const own = connect(undefined)
      // Without a listener an error of the connection would end the process. The other connection reports it.
      own.on('error', () => {})
      return own
    },
    status,
    problem() {
      if (status() === 'up') return undefined
      if (status() === 'refusing') return `Redis refuses writes (${refusal})`
      return 'Redis is unreachable'
    },
    onStatus(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      clearInterval(writeCheck)
      client.disconnect()
    },
  }
}

export declare namespace createRedisLink {
  type Options = {
    /** Called with the name of each command that is sent. The returned function is called when the command has ended. */
    onCommand?: OnCommand
    /** `redis://…` or `rediss://…` */
    url: string
    /** Different chains, and gateways that share nothing, need different prefixes. @default 'ethgate' */
    prefix?: string | undefined
  }
}

type OnCommand = (name: string) => ((failure?: string) => void) | undefined

/** Watches the function through which every command goes, also those of scripts and pipelines. */
function watchCommands(client: Redis, onCommand: OnCommand): void {
  const send = client.sendCommand.bind(client)
  client.sendCommand = (command, stream) => {
    const end = onCommand(command.name)
    if (end)
      command.promise.then(
        () => end(),
        (error: unknown) => end((error as Error).name),
      )
    return send(command, stream)
  }
}

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
