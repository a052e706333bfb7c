import { MAX_CONCURRENCY, numberedName, type Upstream } from '../native/upstream.ts'
import { type Config, ConfigError } from './config.ts'
import { guessedGrpc, guessedRpc } from './guessedPorts.ts'
import { withoutSlash } from './values.ts'

/** The options of upstream nodes. */
export type UpstreamOptions = Pick<
  Config,
  | 'upstream'
  | 'upstreamGrpc'
  | 'upstreamHeader'
  | 'upstreamRate'
  | 'upstreamRpc'
  | 'upstreams'
  | 'upstreamSockets'
  | 'upstreamSolidity'
  | 'upstreamTimeout'
>

/**
 * The nodes of a configuration: from its file, or from the `upstream…` options. Empty when there are none.
 *
 * @throws ConfigError when the numbers of addresses differ.
 */
export function upstreamsOf(config: UpstreamOptions): readonly Upstream[] {
  if (config.upstreams) return config.upstreams
  const wallets = listOf(config.upstream)
  const solidities = sameLength('--upstream-solidity', listOf(config.upstreamSolidity), wallets)
  const rpcs = interfacesOf('--upstream-rpc', config.upstreamRpc, wallets, guessedRpc)
  const grpcs = interfacesOf('--upstream-grpc', config.upstreamGrpc, wallets, guessedGrpc)
  return wallets.map((wallet, index) => ({
    clientName: numberedName(index),
    concurrency: MAX_CONCURRENCY,
    grpc: grpcs[index]?.address,
    isGrpcGuessed: grpcs[index]?.isGuessed,
    isRpcGuessed: rpcs[index]?.isGuessed,
    headers: headersOf(config.upstreamHeader),
    name: nameOf(index, wallets),
    rate: config.upstreamRate,
    rpc: rpcs[index]?.address,
    solidity: solidities[index] ?? solidityBeside(wallet),
    tier: 0,
    timeout: config.upstreamTimeout,
    wallet,
    weight: 1,
  }))
}

/** An interface beside `/wallet`, and whether its address was guessed. */
type Interface = { address?: string | undefined; isGuessed?: boolean | undefined }

/** The addresses of one interface, one for each node. A single `auto` or `off` counts for all nodes. */
function interfacesOf(
  name: string,
  option: string | undefined,
  wallets: readonly string[],
  guess: (wallet: string) => string | undefined,
): Interface[] {
  const isForAll = option === 'auto' || option === 'off'
  const given = isForAll ? wallets.map(() => option) : sameLength(name, listOf(option), wallets)
  return wallets.map((wallet, index) => {
    const address = given[index] ?? 'off'
    if (address === 'off') return {}
    if (address !== 'auto') return { address }
    const guessed = guess(wallet)
    return guessed === undefined ? {} : { address: guessed, isGuessed: true }
  })
}

/** The address of `/walletsolidity`: port 8091 for a node on port 8090; otherwise the upstream itself, as with a proxy. */
export function solidityBeside(wallet: string): string {
  const base = new URL(wallet)
  if (base.port !== '8090') return wallet
  base.port = '8091'
  return withoutSlash(base.href)
}

/** An address without path and credentials, which may contain keys. */
export function originOf(address: string): string {
  return new URL(address).origin
}

/** Name and value of a header line, as an object. */
export function headersOf(line: string | undefined): Record<string, string> {
  if (line === undefined) return {}
  const colon = line.indexOf(':')
  return { [line.slice(0, colon).trim().toLowerCase()]: line.slice(colon + 1).trim() }
}

/** Host and port, without the path, which may contain an API key. A number distinguishes nodes of one host. */
function nameOf(index: number, wallets: readonly string[]): string {
  const hosts = wallets.map((wallet) => new URL(wallet).host)
  const host = hosts[index] as string
  const before = hosts.slice(0, index).filter((other) => other === host).length
  return hosts.filter((other) => other === host).length === 1 ? host : `${host}#${before + 1}`
}

function listOf(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : text.split(' ')
}

function sameLength(option: string, given: string[], wallets: readonly string[]): string[] {
  if (given.length !== 0 && given.length !== wallets.length)
    throw new ConfigError(
      option,
      `expected one for each --upstream: got ${given.length} for ${wallets.length}`,
    )
  return given
}
