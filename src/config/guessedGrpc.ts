import { BlockList, isIP, isIPv6 } from 'node:net'

/** The HTTP port of a node as shipped, and its gRPC port. Nodes that run beside each other have both shifted by the same number. */
const HTTP_PORT = 8090
const GRPC_PORT = 50_051
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
  const { hostname, pathname, port, protocol } = new URL(wallet)
  const shifted = Number(port) - HTTP_PORT + GRPC_PORT
  if (protocol !== 'http:' || port === '' || pathname !== '/') return undefined
  return isPrivate(hostname) && shifted >= GRPC_PORT && shifted <= LAST_PORT
    ? `http://${hostname}:${shifted}`
    : undefined
}

/** @param hostname - of an URL: IPv6 addresses have brackets */
function isPrivate(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '')
  if (isIP(address) === 0) return address === 'localhost'
  return PRIVATE.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}
