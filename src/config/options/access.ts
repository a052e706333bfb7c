import { flag, integer, oneOf, positive, text } from '../values.ts'
import type { OptionEntry } from './option.ts'

/** Who may call and how much, the admin port, TLS and compression. */
export const accessOptions = {
  apiKeys: {
    value: 'FILE',
    default: undefined as string | undefined,
    parse: text,
    help: 'YAML file with the API keys of clients, their limits and permissions; it is read again when it changes',
  },
  anonymous: {
    value: 'on|off',
    default: 'on',
    parse: oneOf('on', 'off'),
    help: 'serve clients without an API key; off needs --api-keys',
  },
  ratePerClient: {
    value: 'UNITS',
    default: undefined as number | undefined,
    parse: positive,
    help: 'units a second of one client address without an API key; default: no limit',
  },
  burstPerClient: {
    value: 'UNITS',
    default: undefined as number | undefined,
    parse: integer(10),
    help: 'units that one client address may use at once; default: 10 seconds of --rate-per-client, at least 10',
  },
  dailyPerClient: {
    value: 'UNITS',
    default: undefined as number | undefined,
    parse: integer(10),
    help: 'units a day of one client address, from midnight UTC; default: no limit',
  },
  concurrencyPerClient: {
    value: 'N',
    default: undefined as number | undefined,
    parse: integer(1),
    help: 'most calls of one client address in flight, in each replica; default: no limit',
  },
  limitsWithoutRedis: {
    value: 'MODE',
    default: 'local',
    parse: oneOf('local', 'open', 'closed'),
    help: 'limits while the Redis of --redis cannot be used. local: each replica enforces its part; open: no limits; closed: calls fail',
  },
  adminPort: {
    value: 'PORT',
    default: undefined as number | undefined,
    parse: integer(0, 65_535),
    help: 'port for /metrics and /state, which the public port then does not serve; 0 picks a free port',
  },
  adminHost: {
    value: 'HOST',
    default: '127.0.0.1',
    parse: text,
    help: 'address of --admin-port',
  },
  tlsCert: {
    value: 'FILE',
    default: undefined as string | undefined,
    parse: text,
    help: 'certificate chain in PEM; the port then speaks HTTPS and WSS; it is read again when it changes',
  },
  tlsKey: {
    value: 'FILE',
    default: undefined as string | undefined,
    parse: text,
    help: 'private key of --tls-cert in PEM',
  },
  compression: {
    default: false,
    parse: flag,
    help: 'compress large answers for clients that accept it: zstd, br or gzip',
  },
} as const satisfies Record<string, OptionEntry>
