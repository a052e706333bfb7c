import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4, isIPv6 } from 'node:net'

import type { Config } from '../config/config.ts'
import type { Middleware } from './env.ts'
import { refused, type Refusal } from './refuse.ts'
import { targetOf } from './target.ts'

/** Allows or rejects requests by their Host and Origin headers. */
export type Access = ReturnType<typeof createAccess>

/** Refuses requests by their Host and Origin headers. */
export function checkAccess(access: Access): Middleware {
  return function checkAccess(c, next) {
    const refusal = access.refusalOf(c.env.incoming)
    return refusal ? Promise.resolve(refused(refusal)) : next()
  }
}

/**
 * Checks Host and Origin.
 *
 * A browser sends requests to any address for any page. If requests can spend, a page must therefore be listed, on
 * this machine, or a browser extension. The Host must be a name of this gateway, because of DNS rebinding: a page whose host
 * name points at 127.0.0.1 has the same origin for the browser. Programs send no Origin and are allowed.
 */
export function createAccess({ allowedHosts, canSpend, cors, host }: createAccess.Options) {
  const listed = new Set(cors === undefined || cors === '*' ? [] : cors.split(','))
  const checksOrigin = cors === undefined ? canSpend : cors !== '*'
  const hosts = new Set((allowedHosts ?? '').toLowerCase().split(',').filter(Boolean))
  const checksHost = (canSpend || hosts.size > 0) && !hosts.has('*')
  hosts.add(host.toLowerCase())
  /** It listens on every address, also on those that only a router or a container host knows. */
  const isEverywhere = isWildcard(host)

  function isHostAllowed(header: string, incoming: IncomingMessage): boolean {
    const name = nameOf(header)
    if (name === undefined) return false
    if (isLoopback(name) || hosts.has(name)) return true
    // A name can be made to point here by others, an address cannot.
    if (isEverywhere && isIP(name) !== 0) return true
    // The address that the client connected to is always this gateway's.
    const local = incoming.socket.localAddress
    return local !== undefined && name === local.replace(/^::ffff:/, '')
  }

  function isOriginAllowed(origin: string): boolean {
    if (!checksOrigin || listed.has(origin)) return true
    const page = urlOf(origin)
    if (!page) return false
    return (
      EXTENSIONS.has(page.protocol) ||
      (/^https?:$/.test(page.protocol) && isLoopback(bare(page.hostname)))
    )
  }

  const corsOrigin = checksOrigin
    ? (origin: string) => (isOriginAllowed(origin) ? origin : undefined)
    : '*'

  function hostRefusal(incoming: IncomingMessage): Refusal | undefined {
    for (const header of [hostHeaderOf(incoming), targetOf(incoming).host])
      if (header !== undefined && !isHostAllowed(header, incoming))
        return {
          status: 403,
          reason: `the Host ${shorten(header)} is not a name of this gateway: add it to --allowed-hosts`,
        }
    return undefined
  }

  function originRefusal(incoming: IncomingMessage): Refusal | undefined {
    const { host: hostHeader, origin } = incoming.headers
    if (origin !== undefined) {
      const page = urlOf(origin)
      // If calls can spend, a page is same-origin only under an allowed host name.
      const isOwn = (checksHost || !canSpend) && page?.host === hostHeader?.toLowerCase()
      if ((page && isOwn) || isOriginAllowed(origin)) return undefined
      return {
        status: 403,
        reason: `pages of ${shorten(origin)} may not call this gateway: add the origin to --cors`,
      }
    }
    // Images, links and scripts of other sites have no Origin, but browsers send Sec-Fetch-Site.
    return incoming.headers['sec-fetch-site'] === 'cross-site' && !isLink(incoming)
      ? { status: 403, reason: 'pages of other sites may not call this gateway' }
      : undefined
  }

  return {
    /** The option `origin` of Hono's CORS. */
    corsOrigin,
    /** The CORS headers of JSON-RPC: a name and a value in turn. The other routes have those of Hono, which are the same. */
    corsHeaders({ headers }: IncomingMessage): readonly string[] {
      if (corsOrigin === '*') return FOR_ALL
      const allowed = corsOrigin(headers.origin ?? '')
      return allowed === undefined ? VARIES : ['access-control-allow-origin', allowed, ...VARIES]
    },
    /** Why a request is rejected, with its HTTP status; undefined when it is allowed. */
    refusalOf(incoming: IncomingMessage): Refusal | undefined {
      if (hasTwoHosts(incoming))
        return { status: 400, reason: 'the request has two different Host headers' }
      const { malformed } = targetOf(incoming)
      if (isProbe(incoming)) return malformed
      return (
        (checksHost ? hostRefusal(incoming) : undefined) ??
        (checksOrigin ? originRefusal(incoming) : undefined) ??
        malformed
      )
    },
  }
}

export declare namespace createAccess {
  type Options = Pick<Config, 'allowedHosts' | 'cors' | 'host'> & {
    /** Whether a request can spend: there are managed keys, or the chain can be changed by calls. */
    canSpend: boolean
  }
}

const FOR_ALL = ['access-control-allow-origin', '*']
const VARIES = ['vary', 'Origin']

/** Whether an address or name always means this machine. Addresses are without brackets. */
export function isLoopback(name: string): boolean {
  if (isIPv4(name)) return name.startsWith('127.')
  if (isIPv6(name)) return name === '::1' || /^::ffff:(?:127\.|7f[\da-f]{2}:)/.test(name)
  // RFC 6761: names under localhost never leave the machine.
  return name === 'localhost' || name.endsWith('.localhost')
}

/** Whether an address stands for all addresses of the machine. */
export function isWildcard(address: string): boolean {
  return address === '0.0.0.0' || address === '::'
}

/** Headers with which proxies say that a request comes from somebody else. */
const OF_PROXIES = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

/** Whether a request comes from this machine, and no proxy says that it has passed it on. */
export function isLocal({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  if (!isLoopback(socket.remoteAddress ?? '')) return false
  return OF_PROXIES.every((name) => headers[name] === undefined)
}

const EXTENSIONS = new Set([
  'chrome-extension:',
  'moz-extension:',
  'ms-browser-extension:',
  'safari-web-extension:',
])

/** Paths that load balancers and monitoring may request with any Host. They reveal no secret and change nothing. */
const PROBES = new Set(['/health', '/ready', '/metrics'])

/** Whether a request asks how the gateway is. */
export function isProbe({ method, url = '/' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && PROBES.has(url.split('?', 1)[0] ?? '')
}

/**
 * Whether a request is a navigation to a page. The native interface has no pages, and its GET requests can change
 * state.
 */
function isLink({ headers, method, url = '/' }: IncomingMessage): boolean {
  const isNavigation = method === 'GET' && headers['sec-fetch-mode'] === 'navigate'
  return isNavigation && !isWallet(url)
}

/** Whether a target is of the native interface. @param url - after `readTarget` */
export function isWallet(url: string): boolean {
  return /^\/wallet(?:solidity)?(?:[/?]|$)/.test(url)
}

/** Name or address of a Host header: lower case, without port, brackets and the dot of an absolute name. */
function nameOf(header: string): string | undefined {
  const found = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{0,5})?$/i.exec(header)
  const address = found?.[1] === undefined ? undefined : urlOf(`http://[${found[1]}]`)
  return address ? bare(address.hostname) : found?.[2]?.toLowerCase().replace(/(?<=.)\.$/, '')
}

/** The host name of a parsed URL, in the form of `nameOf`. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/(?<=.)\.$/, '')
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}

/** The Host header as it was sent. */
function hostHeaderOf(incoming: IncomingMessage): string | undefined {
  return targetOf(incoming).hostHeader ?? incoming.headers.host
}

/** Node uses the first of several Host headers; a proxy in front may have checked another one. */
function hasTwoHosts(incoming: IncomingMessage): boolean {
  const { rawHeaders } = incoming
  const host = hostHeaderOf(incoming)
  const isHost = (name: string) => name.length === 4 && name.toLowerCase() === 'host'
  return rawHeaders.some((name, at) => at % 2 === 0 && isHost(name) && rawHeaders[at + 1] !== host)
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
