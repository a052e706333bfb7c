import {
  flag,
  header,
  hosts,
  integer,
  logFormat,
  logLevel,
  MIB,
  oneOf,
  onOff,
  origins,
  rate,
  redisUrl,
  share,
  text,
  urls,
} from './configValues.ts'
import type { Upstream } from './native/pool/upstream.ts'

/** One option of the command line: flag, environment variable, default, meaning. `--help` and docs/options.md come from here. */
export type Option = {
  flag: string
  env: string
  /** How the value is written in help; absent for switches. */
  value?: string
  default: string | number | boolean | undefined
  parse: (text: string) => unknown
  /** Whether it may be given more than once; the values are separated by spaces in the environment. */
  repeats?: true
  help: string
}

/** Every option of `serve` and `dev`. The key is the name in `Config`. */
export const options = {
  config: {
    flag: '--config',
    env: 'ETHGATE_CONFIG',
    value: 'FILE',
    default: undefined as string | undefined,
    parse: text,
    help: 'YAML file with nodes and any other option under its flag’s name; flags and environment win; SIGHUP reads its nodes again',
  },
  upstream: {
    flag: '--upstream',
    env: 'ETHGATE_UPSTREAM',
    value: 'URL',
    default: undefined as string | undefined,
    parse: urls,
    repeats: true,
    help: 'base address of the node’s HTTP API (/wallet); repeated for several nodes',
  },
  upstreamSolidity: {
    flag: '--upstream-solidity',
    env: 'ETHGATE_UPSTREAM_SOLIDITY',
    value: 'URL',
    default: undefined as string | undefined,
    parse: urls,
    repeats: true,
    help: 'base address of /walletsolidity, for each --upstream in their order; by default port 8091 of the same host when the upstream’s port is 8090, else the upstream itself',
  },
  upstreamRpc: {
    flag: '--upstream-rpc',
    env: 'ETHGATE_UPSTREAM_RPC',
    value: 'URL',
    default: undefined as string | undefined,
    parse: urls,
    repeats: true,
    help: 'the node’s own JSON-RPC, for each --upstream in their order; used for what the HTTP API cannot tell (eth_getStorageAt), and to find the blocks that have logs of a search',
  },
  upstreamHeader: {
    flag: '--upstream-header',
    env: 'ETHGATE_UPSTREAM_HEADER',
    value: 'NAME: VALUE',
    default: undefined as string | undefined,
    parse: header,
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
  upstreamRate: {
    flag: '--upstream-rate',
    env: 'ETHGATE_UPSTREAM_RATE',
    value: 'N',
    default: undefined as number | 'unlimited' | undefined,
    parse: rate,
    help: 'calls a second that each node allows, or unlimited; by default no limit for one node, and 900 for each operation where there are several',
  },
  headQuorum: {
    flag: '--head-quorum',
    env: 'ETHGATE_HEAD_QUORUM',
    value: 'N',
    default: 1,
    parse: integer(1, 10),
    help: 'nodes that must have a block before it is served as the newest one',
  },
  walletPassthrough: {
    flag: '--wallet-passthrough',
    env: 'ETHGATE_WALLET_PASSTHROUGH',
    default: false,
    parse: flag,
    help: 'serve reading, building and broadcasting operations of /wallet and /walletsolidity too, for native libraries',
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
    parse: redisUrl,
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
  keys: {
    flag: '--keys',
    env: 'ETHGATE_KEYS',
    value: 'FILE',
    default: undefined as string | undefined,
    parse: text,
    help: 'private keys that the gateway signs with, one a line; the environment variable may hold the keys themselves',
  },
  keysPublic: {
    flag: '--keys-public',
    env: 'ETHGATE_KEYS_PUBLIC',
    default: false,
    parse: flag,
    help: 'allows managed keys on an address that other machines reach: whoever reaches it can spend them',
  },
  predictedAddresses: {
    flag: '--predicted-addresses',
    env: 'ETHGATE_PREDICTED_ADDRESSES',
    value: 'MODE',
    default: 'refuse',
    parse: oneOf('refuse', 'rewrite'),
    help: 'data with an address that an Ethereum library predicted for a contract, where the chain has none: refuse it, or rewrite whole words of it to the contract’s address when a managed account sends or calls',
  },
  dataDir: {
    flag: '--data-dir',
    env: 'ETHGATE_DATA_DIR',
    value: 'DIR',
    default: undefined as string | undefined,
    parse: text,
    help: 'folder for the record of what managed accounts sent, which keeps an old transaction from being sent again after a restart; by default ethgate in the folder for state ($XDG_STATE_HOME or ~/.local/state); none keeps it in memory; with --redis it is in Redis',
  },
  logFormat: {
    flag: '--log-format',
    env: 'ETHGATE_LOG_FORMAT',
    value: 'FORMAT',
    default: undefined as string | undefined,
    parse: logFormat,
    help: 'json, or pretty for people; by default pretty on a terminal and json elsewhere',
  },
  slow: {
    flag: '--slow',
    env: 'ETHGATE_SLOW',
    value: 'MS',
    default: 1_000,
    parse: integer(0),
    help: 'milliseconds from which a call gets a line in the log; 0 for none',
  },
  verifyRate: {
    flag: '--verify-rate',
    env: 'ETHGATE_VERIFY_RATE',
    value: 'SHARE',
    default: 0,
    parse: share,
    help: 'share of answers, 0 to 1, that are compared with the node’s own JSON-RPC (--upstream-rpc) after they were sent',
  },
  page: {
    flag: '--page',
    env: 'ETHGATE_PAGE',
    value: 'on|off',
    default: 'on',
    parse: onOff,
    help: 'the explorer, console and state pages that browsers see at /',
  },
  logLevel: {
    flag: '--log-level',
    env: 'ETHGATE_LOG_LEVEL',
    value: 'LEVEL',
    default: 'info',
    parse: logLevel,
    help: 'trace, debug, info, warn, error, fatal or silent; debug writes a line a request',
  },
  feeSignal: {
    flag: '--fee-signal',
    env: 'ETHGATE_FEE_SIGNAL',
    value: 'KIND',
    default: 'eip1559',
    parse: oneOf('eip1559', 'legacy'),
    help: 'eip1559: blocks carry the energy price as baseFeePerGas; legacy: they carry none, and clients ask eth_gasPrice',
  },
  stateWindow: {
    flag: '--state-window',
    env: 'ETHGATE_STATE_WINDOW',
    value: 'BLOCKS',
    default: 16,
    parse: integer(0),
    help: 'blocks behind the newest whose state is read as the newest state, because nodes keep no other and wallets rewrite latest to a number; only eth_getBalance is exact there, on nodes that keep past balances',
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
    help: 'upstream reads that log searches have under way at once',
  },
  index: {
    flag: '--index',
    env: 'ETHGATE_INDEX',
    value: 'DIR|URL',
    default: undefined as string | undefined,
    parse: text,
    help: 'log index that log searches use: a directory, or postgres://… for one that replicas share',
  },
  indexFrom: {
    flag: '--index-from',
    env: 'ETHGATE_INDEX_FROM',
    value: 'N',
    default: undefined as number | undefined,
    parse: integer(0),
    help: 'fill the log index from this block on; without it only new blocks are added',
  },
  indexRate: {
    flag: '--index-rate',
    env: 'ETHGATE_INDEX_RATE',
    value: 'N',
    default: 200,
    parse: integer(1, 10_000),
    help: 'most upstream calls a second that filling the log index makes; a node answers 1,000 of each kind',
  },
  cacheBytes: {
    flag: '--cache-bytes',
    env: 'ETHGATE_CACHE_BYTES',
    value: 'BYTES',
    default: 256 * MIB,
    parse: integer(0),
    help: 'memory for immutable blocks, receipts and logs',
  },
  filterTtl: {
    flag: '--filter-ttl',
    env: 'ETHGATE_FILTER_TTL',
    value: 'SECONDS',
    default: 300,
    parse: integer(1, 86_400),
    help: 'how long a filter lives without a poll',
  },
  filtersPerClient: {
    flag: '--filters-per-client',
    env: 'ETHGATE_FILTERS_PER_CLIENT',
    value: 'N',
    default: 1_000,
    parse: integer(1),
    help: 'most filters of one client address',
  },
  filtersTotal: {
    flag: '--filters-total',
    env: 'ETHGATE_FILTERS_TOTAL',
    value: 'N',
    default: 50_000,
    parse: integer(1),
    help: 'most filters in all',
  },
  filterBytesPerClient: {
    flag: '--filter-bytes-per-client',
    env: 'ETHGATE_FILTER_BYTES_PER_CLIENT',
    value: 'BYTES',
    default: 16 * MIB,
    parse: integer(1),
    help: 'most memory that the filters of one client address take',
  },
  filterBytesTotal: {
    flag: '--filter-bytes-total',
    env: 'ETHGATE_FILTER_BYTES_TOTAL',
    value: 'BYTES',
    default: 128 * MIB,
    parse: integer(1),
    help: 'most memory that all filters take, in the process or in Redis',
  },
  filterPage: {
    flag: '--filter-page',
    env: 'ETHGATE_FILTER_PAGE',
    value: 'N',
    default: 10_000,
    parse: integer(1),
    help: 'most logs or hashes in one answer of eth_getFilterChanges; the rest comes with the next poll',
  },
  subscriptionsPerConnection: {
    flag: '--subscriptions-per-connection',
    env: 'ETHGATE_SUBSCRIPTIONS_PER_CONNECTION',
    value: 'N',
    default: 256,
    parse: integer(1),
    help: 'most subscriptions of one WebSocket',
  },
  subscriptionsPerClient: {
    flag: '--subscriptions-per-client',
    env: 'ETHGATE_SUBSCRIPTIONS_PER_CLIENT',
    value: 'N',
    default: 20_000,
    parse: integer(1),
    help: 'most subscriptions of one client address',
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
  cors: {
    flag: '--cors',
    env: 'ETHGATE_CORS',
    value: 'ORIGINS',
    default: undefined as string | undefined,
    parse: origins,
    help: 'origins whose pages may call, separated by commas, beside those of this machine and browser extensions; * for all; by default all, and none more where calls can spend (managed keys, dev chain)',
  },
  allowedHosts: {
    flag: '--allowed-hosts',
    env: 'ETHGATE_ALLOWED_HOSTS',
    value: 'NAMES',
    default: undefined as string | undefined,
    parse: hosts,
    help: 'names that a Host header may have, separated by commas, beside localhost and the address that is listened on; * for any; by default any, unless calls can spend (managed keys, dev chain)',
  },
  wsConnections: {
    flag: '--ws-connections',
    env: 'ETHGATE_WS_CONNECTIONS',
    value: 'N',
    default: 10_000,
    parse: integer(0),
    help: 'most WebSocket connections',
  },
  wsConnectionsPerClient: {
    flag: '--ws-connections-per-client',
    env: 'ETHGATE_WS_CONNECTIONS_PER_CLIENT',
    value: 'N',
    default: 5_000,
    parse: integer(0),
    help: 'most WebSocket connections of one address',
  },
  wsBuffer: {
    flag: '--ws-buffer',
    env: 'ETHGATE_WS_BUFFER',
    value: 'BYTES',
    default: 8 * MIB,
    parse: integer(1024),
    help: 'bytes queued for one WebSocket reader before it is cut',
  },
  unsentBytes: {
    flag: '--unsent-bytes',
    env: 'ETHGATE_UNSENT_BYTES',
    value: 'BYTES',
    default: 256 * MIB,
    parse: integer(MIB),
    help: 'bytes of large answers that wait for slow readers, over all connections; beyond it they are cut, then large answers are refused',
  },
  wsIdle: {
    flag: '--ws-idle',
    env: 'ETHGATE_WS_IDLE',
    value: 'MS',
    default: 600_000,
    parse: integer(1_000),
    help: 'milliseconds after which a WebSocket without requests and subscriptions is closed',
  },
  drain: {
    flag: '--drain',
    env: 'ETHGATE_DRAIN',
    value: 'MS',
    default: 10_000,
    parse: integer(0),
    help: 'milliseconds that requests under way get to finish on SIGTERM; the process has ended a second later',
  },
  drainDelay: {
    flag: '--drain-delay',
    env: 'ETHGATE_DRAIN_DELAY',
    value: 'MS',
    default: 5_000,
    parse: integer(0),
    help: 'milliseconds of --drain in which new requests are still answered, so that load balancers notice that /ready says 503',
  },
} as const satisfies Record<string, Option>

type Options = typeof options

/** The settings of one gateway, frozen. */
export type Config = {
  readonly [key in keyof Options]:
    | ReturnType<Options[key]['parse']>
    | Extract<Options[key]['default'], undefined>
} & {
  /** The nodes of a configuration file. Absent: those of the `upstream…` options. */
  readonly upstreams?: readonly Upstream[] | undefined
}

/**
 * The settings from command line flags (by key, as typed), environment and a file. Flags win over the environment and that
 * over the file; an empty variable counts as absent.
 *
 * @throws ConfigError naming the flag or variable.
 */
export function readConfig({ env, file = {}, flags }: readConfig.Sources): Config {
  const given: [string, unknown][] = []
  for (const [key, option] of Object.entries(options) as [keyof Options, Option][]) {
    const flag = flags[key]
    const input = flag ?? (env[option.env] || undefined)
    if (input === undefined) continue
    try {
      given.push([key, option.parse(Array.isArray(input) ? input.join(' ') : String(input))])
    } catch (error) {
      throw new ConfigError(flag === undefined ? option.env : option.flag, (error as Error).message)
    }
  }
  const chosen: Partial<Config> = Object.fromEntries(given)
  // Nodes that are named on the command line replace those of the file.
  const nodes = chosen.upstream === undefined ? file.upstreams : undefined
  return createConfig({ ...file, ...chosen, upstreams: nodes })
}

export declare namespace readConfig {
  type Sources = {
    env: Record<string, string | undefined>
    /** What a configuration file holds, read already. */
    file?: Partial<Config>
    /** As the command line parser gives them: text, a list where an option repeats, or true for switches. */
    flags: Record<string, string | string[] | boolean | undefined>
  }
}

/** The defaults with some values replaced. */
export function createConfig(given: Partial<Config> = {}): Config {
  const defaults = Object.fromEntries(
    Object.entries(options).map(([key, option]) => [key, option.default]),
  )
  return Object.freeze({ ...defaults, ...given } as Config)
}

/** An option whose value is wrong. `option` is the flag or environment variable as the user knows it. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly option: string

  constructor(option: string, reason: string) {
    super(`${option}: ${reason}`)
    this.option = option
  }
}
