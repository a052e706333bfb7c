import { createHash } from 'node:crypto'

import { Redis } from 'ioredis'

import { RpcError } from './errors.ts'

/** Milliseconds that one command may take. */
const COMMAND_TIMEOUT = 2_000

/** Longest pause between attempts to connect again, milliseconds. */
const RECONNECT = 500

/** Milliseconds for which a refused write is shown: replicas write several times a second. */
const REFUSAL_SHOWN = 3_000

/** What replicas share: one connection for commands, the names of keys, the state for `/health`. */
export type RedisLink = {
  readonly client: Redis
  /** The full name of a key. All keys of a fleet carry one hash tag, so that scripts over several keys work in Redis Cluster. */
  key(name: string): string
  /** A Lua script; its text is sent once. @throws StoreUnavailableError */
  script(lua: string): RedisScript
  /** Runs commands. @throws StoreUnavailableError when Redis is away or refuses. */
  run<result>(commands: (client: Redis) => Promise<result>): Promise<result>
  /** A connection of its own, for commands that block; the one who asks for it disconnects it. */
  blocking(): Redis
  status(): 'up' | 'down'
  /** Why writes are refused although Redis answers, for people; undefined when they are not. */
  refusal(): string | undefined
  /** Told when Redis goes or comes back. Returns the function that ends it. */
  onStatus(listener: (status: 'up' | 'down') => void): () => void
  close(): Promise<void>
}

type RedisScript = (keys: string[], args: (string | number)[]) => Promise<unknown>

/**
 * Connects in the background and again whenever the connection is lost. Commands while it is away fail at once, nothing is
 * queued; a command whose answer was lost is not sent again.
 */
export function createRedisLink({
  onError,
  prefix = 'ethgate',
  url,
}: createRedisLink.Options): RedisLink {
  const connect = (timeout: number | undefined) => {
    const client = new Redis(url, {
      autoResendUnfulfilledCommands: false,
      ...(timeout !== undefined && { commandTimeout: timeout }),
      connectTimeout: 2_000,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      retryStrategy: (attempt) => Math.min(25 * 2 ** Math.min(attempt, 10), RECONNECT),
    })
    // Without a listener an error of the connection would end the process.
    client.on('error', (error: Error) => onError?.(error))
    return client
  }
  const client = connect(COMMAND_TIMEOUT)
  const listeners = new Set<(status: 'up' | 'down') => void>()
  let last: 'up' | 'down' = 'down'
  const tell = (status: 'up' | 'down') => {
    if (status === last) return
    last = status
    for (const listener of listeners) listener(status)
  }
  let refusal: { reason: string; at: number } | undefined
  client.on('ready', () => tell('up'))
  client.on('close', () => tell('down'))

  async function run<result>(commands: (client: Redis) => Promise<result>): Promise<result> {
    try {
      return await commands(client)
    } catch (error) {
      const reason = refusalOf(error)
      if (reason !== undefined) refusal = { reason, at: performance.now() }
      throw new StoreUnavailableError(error)
    }
  }

  return {
    client,
    key: (name) => `{${prefix}}:${name}`,
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
    blocking: () => connect(undefined),
    status: () => (client.status === 'ready' ? 'up' : 'down'),
    refusal: () =>
      refusal && performance.now() - refusal.at < REFUSAL_SHOWN ? refusal.reason : undefined,
    onStatus(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      client.disconnect()
    },
  }
}

export declare namespace createRedisLink {
  type Options = {
    /** `redis://…` or `rediss://…` */
    url: string
    /** Keys of different fleets, and of different chains, must not meet. @default 'ethgate' */
    prefix?: string | undefined
    /** Told of every fault of a connection; it is mended without help. */
    onError?: ((error: Error) => void) | undefined
  }
}

/** What Redis says when it answers but takes no writes, and what that means. */
const REFUSALS: readonly [RegExp, string][] = [
  [/\bREADONLY\b/, 'it is a read-only replica'],
  [/\bOOM\b/, 'its memory is full'],
  [/\bMISCONF\b/, 'it cannot save to its disk'],
  [/\bNOREPLICAS\b/, 'it has too few replicas'],
]

function refusalOf(error: unknown): string | undefined {
  const message = error instanceof Error ? error.message : ''
  return REFUSALS.find(([pattern]) => pattern.test(message))?.[1]
}

/** `-32603`: what replicas share cannot be read or written. Reads of the chain go on; filters do not. Callers may retry. */
export class StoreUnavailableError extends RpcError {
  override name = 'StoreUnavailableError'

  constructor(cause: unknown) {
    const reason = refusalOf(cause)
    const state = reason === undefined ? 'is unavailable' : `refuses writes (${reason})`
    super(-32603, `the shared store (Redis) ${state}, try again later`, { cause })
  }
}
