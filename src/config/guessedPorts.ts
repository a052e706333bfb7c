import { BlockList, isIP, isIPv6 } from 'node:net'

/** The ports of a node as shipped. Nodes that run beside each other have all shifted by the same number. */
const HTTP_PORT = 8090
const GRPC_PORT = 50_051
const RPC_PORT = 8545
const LAST_PORT = 65_535

const PRIVATE = new BlockList()
PRIVATE.addSubnet('127.0.0.0', 8)
PRIVATE.addSubnet('10.0.0.0', 8)
PRIVATE.addSubnet('172.16.0.0', 12)
PRIVATE.addSubnet('192.168.0.0', 16)
PRIVATE.addSubnet('::1', 128, 'ipv6')
PRIVATE.addSubnet('fc00::', 7, 'ipv6')

/**
 * Where a node on this machine or in a private network has its gRPC interface, if its ports are as shipped or all shifted by the same number.
 * Undefined for any other node: a service on the internet serves something else on that port, or nothing.
 *
 * @param wallet - base address of `/wallet`
 */
export function guessedGrpc(wallet: string): string | undefined {
  return besideOf(wallet, GRPC_PORT)
}

/** Where such a node has its own JSON-RPC. */
export function guessedRpc(wallet: string): string | undefined {
  const origin = besideOf(wallet, RPC_PORT)
  return origin && `${origin}/jsonrpc`
}

/** The origin with a port of the node. @param port - as shipped */
function besideOf(wallet: string, port: number): string | undefined {
  const url = new URL(wallet)
  const shift = Number(url.port) - HTTP_PORT
  if (url.protocol !== 'http:' || url.port === '' || url.pathname !== '/') return undefined
  return isPrivate(url.hostname) && shift >= 0 && shift + GRPC_PORT <= LAST_PORT
    ? `http://${url.hostname}:${port + shift}`
    : undefined
}

/** @param hostname - of an URL: IPv6 addresses have brackets */
function isPrivate(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) return address === 'localhost'
  return PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
