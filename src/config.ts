/** One option of the command line: flag, environment variable, default, meaning. `--help` and the README come from here. */
export type Option = {
  flag: string
  env: string
  /** How the value is written in help; absent for switches. */
  value?: string
  default: unknown
  parse: (text: string) => unknown
  help: string
}

const text = (input: string) => input

function url(input: string): string {
  const parsed = URL.canParse(input) ? new URL(input) : undefined
  if (!parsed || !/^https?:$/.test(parsed.protocol))
    throw new Error(`expected an http(s) URL such as http://127.0.0.1:8090, got "${input}"`)
  return input.replace(/\/+$/, '')
}

function integer(min: number, max = Number.MAX_SAFE_INTEGER) {
  return (input: string) => {
    const number = Number(input)
    if (!/^\d+$/.test(input) || number < min || number > max)
      throw new Error(`expected a whole number from ${min} to ${max}, got "${input}"`)
    return number
  }
}

const MIB = 1024 * 1024

/** Every option of `serve` and `dev`. The key is the name in `Config`. */
export const options = {
  upstream: {
    flag: '--upstream',
    env: 'ETHGATE_UPSTREAM',
    value: 'URL',
    default: undefined as string | undefined,
    parse: url,
    help: 'base address of the node’s HTTP API (/wallet)',
  },
  upstreamSolidity: {
    flag: '--upstream-solidity',
    env: 'ETHGATE_UPSTREAM_SOLIDITY',
    value: 'URL',
    default: undefined as string | undefined,
    parse: url,
    help: 'base address of /walletsolidity; by default port 8091 of the same host when the upstream’s port is 8090, else the upstream itself',
  },
  upstreamRpc: {
    flag: '--upstream-rpc',
    env: 'ETHGATE_UPSTREAM_RPC',
    value: 'URL',
    default: undefined as string | undefined,
    parse: url,
    help: 'the node’s own JSON-RPC, used only for what its HTTP API cannot tell (eth_getStorageAt)',
  },
  upstreamHeader: {
    flag: '--upstream-header',
    env: 'ETHGATE_UPSTREAM_HEADER',
    value: 'NAME: VALUE',
    default: undefined as string | undefined,
    parse: text,
    help: 'a header sent with every upstream call, such as an API key',
  },
  upstreamTimeout: {
    flag: '--upstream-timeout',
    env: 'ETHGATE_UPSTREAM_TIMEOUT',
    value: 'MS',
    default: 10_000,
    parse: integer(1),
    help: 'time-out of one upstream call, milliseconds',
  },
  upstreamSockets: {
    flag: '--upstream-sockets',
    env: 'ETHGATE_UPSTREAM_SOCKETS',
    value: 'N',
    default: 40,
    parse: integer(1, 40),
    help: 'keep-alive sockets per node port; the node refuses the 51st',
  },
  host: {
    flag: '--host',
    env: 'ETHGATE_HOST',
    value: 'HOST',
    default: '127.0.0.1',
    parse: text,
    help: 'address to listen on',
  },
  port: {
    flag: '--port',
    env: 'ETHGATE_PORT',
    value: 'PORT',
    default: 8545,
    parse: integer(0, 65_535),
    help: 'port to listen on; 0 takes a free one',
  },
  redis: {
    flag: '--redis',
    env: 'ETHGATE_REDIS',
    value: 'URL',
    default: undefined as string | undefined,
    parse: text,
    help: 'Redis that replicas share; without it state is kept in the process',
  },
  redisPrefix: {
    flag: '--redis-prefix',
    env: 'ETHGATE_REDIS_PREFIX',
    value: 'TEXT',
    default: 'ethgate',
    parse: text,
    help: 'prefix of every Redis key',
  },
  logLevel: {
    flag: '--log-level',
    env: 'ETHGATE_LOG_LEVEL',
    value: 'LEVEL',
    default: 'info',
    parse: text,
    help: 'trace, debug, info, warn, error or silent',
  },
  stateWindow: {
    flag: '--state-window',
    env: 'ETHGATE_STATE_WINDOW',
    value: 'BLOCKS',
    default: 16,
    parse: integer(0),
    help: 'blocks behind the head that are served from the latest state, because wallets rewrite latest to the number they last saw',
  },
  logsMaxBlocks: {
    flag: '--logs-max-blocks',
    env: 'ETHGATE_LOGS_MAX_BLOCKS',
    value: 'N',
    default: 5_000,
    parse: integer(1),
    help: 'largest block range of one eth_getLogs',
  },
  logsMaxResults: {
    flag: '--logs-max-results',
    env: 'ETHGATE_LOGS_MAX_RESULTS',
    value: 'N',
    default: 10_000,
    parse: integer(1),
    help: 'most logs in one answer',
  },
  logsConcurrency: {
    flag: '--logs-concurrency',
    env: 'ETHGATE_LOGS_CONCURRENCY',
    value: 'N',
    default: 16,
    parse: integer(1, 40),
    help: 'upstream reads that one eth_getLogs has under way at once',
  },
  cacheBytes: {
    flag: '--cache-bytes',
    env: 'ETHGATE_CACHE_BYTES',
    value: 'BYTES',
    default: 256 * MIB,
    parse: integer(0),
    help: 'memory for immutable blocks, receipts and logs',
  },
  batchLimit: {
    flag: '--batch-limit',
    env: 'ETHGATE_BATCH_LIMIT',
    value: 'N',
    default: 100,
    parse: integer(1),
    help: 'most calls in one batch',
  },
  bodyLimit: {
    flag: '--body-limit',
    env: 'ETHGATE_BODY_LIMIT',
    value: 'BYTES',
    default: 4 * MIB,
    parse: integer(1),
    help: 'largest request body',
  },
  depthLimit: {
    flag: '--depth-limit',
    env: 'ETHGATE_DEPTH_LIMIT',
    value: 'N',
    default: 32,
    parse: integer(4),
    help: 'deepest nesting of a request',
  },
  responseLimit: {
    flag: '--response-limit',
    env: 'ETHGATE_RESPONSE_LIMIT',
    value: 'BYTES',
    default: 64 * MIB,
    parse: integer(1024),
    help: 'largest response',
  },
  trustProxy: {
    flag: '--trust-proxy',
    env: 'ETHGATE_TRUST_PROXY',
    value: 'N',
    default: 0,
    parse: integer(0, 10),
    help: 'proxies in front whose X-Forwarded-For is believed, for limits per client',
  },
} as const satisfies Record<string, Option>

type Options = typeof options

/** The settings of one gateway, frozen. */
export type Config = { readonly [key in keyof Options]: Widen<Options[key]['default']> }

type Widen<value> = value extends string
  ? string
  : value extends number
    ? number
    : value extends boolean
      ? boolean
      : value
