import { BlockList, isIP, isIPv4 } from 'node:net'

import type { Address } from 'viem'

import type { RpcError } from '../lib/errors.ts'
import type { Spender } from '../lib/spender.ts'

/** The limits of one caller. An absent one does not apply. Costs are in units: one unit is one ordinary call to a node. */
export type Limits = {
  /** Units a second, in the long run. */
  readonly rate?: number | undefined
  /** Units at once. @default 10 seconds of `rate` */
  readonly burst?: number | undefined
  /** Units a day, from midnight UTC. */
  readonly daily?: number | undefined
  /** Calls in flight, in each replica. */
  readonly concurrency?: number | undefined
  /** WebSocket connections, in each replica. */
  readonly sockets?: number | undefined
  /** Subscriptions, in each replica. */
  readonly subscriptions?: number | undefined
  /** Filters, in all replicas. */
  readonly filters?: number | undefined
  /** Share of the time and of the nodes when several callers wait. @default 1 */
  readonly weight?: number | undefined
}

/** Who calls: an address, an API key, or this process. */
export type Caller = {
  /** Unique: an address, the /64 network of an IPv6 address, or `key:NAME`. For counts, logs and metrics. */
  readonly id: string
  /** What its limits apply to. */
  readonly scope: 'address' | 'key' | 'process'
  readonly limits: Limits
  /** The API key; absent for others. */
  readonly key?: ApiKey | undefined
  /** Whether it calls from this machine, where operators are: it may see the addresses of nodes. */
  readonly isLocal?: boolean | undefined
  /** Why its API key may not be used any more. Only a WebSocket lasts long enough for that. */
  readonly refused?: RpcError | undefined
  /** What it may do with managed accounts; absent for this process, which may use all. */
  readonly spender?: Spender | undefined
}

/** One entry of the API keys file. */
export type ApiKey = {
  readonly name: string
  /** SHA-256 of the key, hex. The key itself is stored nowhere. */
  readonly sha256: string
  readonly limits: Limits
  /** Methods that it may call, `*` for any end of a name. Absent: all. */
  readonly methods?: readonly string[] | undefined
  /** Contracts, in lower case, that calls, log searches and transactions may name. Absent: all. */
  readonly contracts?: ReadonlySet<string> | undefined
  /** Managed accounts, in lower case, that it alone may use. Absent: those that no key names. */
  readonly accounts?: ReadonlySet<Address> | undefined
  /** Sun that its transactions from managed accounts may cost a day, at most 2^53 - 1. Absent: any amount. */
  readonly spend?: number | undefined
  /** Web origins, one of which each request must have. Absent: any or none. */
  readonly origins?: readonly string[] | undefined
  /** Addresses and networks from which it may be used. Absent: all. */
  readonly addresses?: BlockList | undefined
  /** Milliseconds since 1970 from which it is refused. */
  readonly expires?: number | undefined
}

/** Units that a caller may use at once. */
export function burstOf({ burst, rate = 0 }: Limits): number {
  return burst ?? rate * 10
}

/** Whether a caller may use any number of units. */
export function isUnlimited({ daily, rate }: Limits): boolean {
  return rate === undefined && daily === undefined
}

/** Whether a caller may see the addresses of nodes: from this machine, or this process itself. */
export function seesNodes(caller: Caller | undefined): boolean {
  return caller === undefined || caller.scope === 'process' || caller.isLocal === true
}

/** Milliseconds of a day. The daily quota begins again at midnight UTC. */
export const DAY_MS = 86_400_000

/** This process itself, which has no limits. */
export const IN_PROCESS: Caller = { id: 'in-process', scope: 'process', limits: {} }

/**
 * What an address is counted as: an IPv4 address as it is, also when it is written as IPv6, and the /64 network of an IPv6
 * address, because one subscriber usually has all addresses of it.
 */
export function countedAddress(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped?.[1] !== undefined) return mapped[1]
  if (isIP(address) !== 6) return address
  // The URL parser writes the shortest form; a zone such as %eth0 belongs to one machine.
  const shortest = new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const digits = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(shortest)
  if (digits) return [digits[1], digits[2]].flatMap(bytesOf).join('.')
  const [before = '', after] = shortest.split('::')
  const head = before === '' ? [] : before.split(':')
  const tail = after === undefined || after === '' ? [] : after.split(':')
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`
}

/** The two bytes of a part of an IPv6 address. */
function bytesOf(part = '0'): number[] {
  const value = Number.parseInt(part, 16)
  return [value >> 8, value & 0xff]
}

/** Addresses and networks, such as `10.0.0.0/8`. @throws Error naming the entry that is neither. */
export function networksOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIP(address)
    const bits = prefix === undefined ? (family === 4 ? 32 : 128) : Number(prefix)
    const isPrefix = Number.isInteger(bits) && bits >= 0 && bits <= (family === 4 ? 32 : 128)
    if (family === 0 || !isPrefix || prefix === '')
      throw new Error(`expected an address or a network such as 10.0.0.0/8, got "${entry}"`)
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

/** Whether a list of networks has an address. */
export function isInNetworks(networks: BlockList, address: string): boolean {
  const plain = /^::ffff:(?=\d+\.)/i.test(address) ? address.slice(7) : address
  return isIP(plain) !== 0 && networks.check(plain, isIPv4(plain) ? 'ipv4' : 'ipv6')
}
