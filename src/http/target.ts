import type { IncomingMessage } from 'node:http'

import { keyInPath } from '../limits/callers.ts'
import type { Refusal } from './refuse.ts'

/** What a request target says besides the path and the query. */
type Target = {
  /** The API key of `/k/KEY/path`. */
  key?: string | undefined
  /** The host of a target in absolute form, as proxies send it. */
  host?: string | undefined
  /** The Host header as it was sent, where that is another spelling. */
  hostHeader?: string | undefined
  /** Why no URL can be made of the target or the Host. */
  malformed?: Refusal | undefined
}

/**
 * Parses the target of a request once, before anything reads it. Afterwards `url` has one spelling for each resource: without
 * host, API key, dot segments, backslashes, and characters that need no encoding. Otherwise `/./metrics`, `/%6detrics` or
 * `/k/x/%77allet/…` would pass the check of one reader and be served by another. The key is removed, so that no log, error or page
 * can show it. If no URL can be made of the target or the Host, both are replaced by valid ones, because the app needs a Request.
 * `access.ts` then rejects the request.
 */
export function readTarget(incoming: IncomingMessage): void {
  const malformed = readPath(incoming) ?? readHost(incoming)
  if (!malformed) return
  note(incoming, { hostHeader: incoming.headers.host, malformed })
  incoming.url = '/'
  incoming.headers.host = 'localhost'
}

function readPath(incoming: IncomingMessage): Refusal | undefined {
  const { url = '/' } = incoming
  if (url === '/') return undefined
  // RFC 9112: a target has no fragment. URL parsers would end the path there, and routers might not.
  if (url.includes('#')) return { status: 400, reason: 'a request target has no fragment' }
  const isPath = url.startsWith('/')
  if (isPath && USUAL.test(url) && !url.startsWith('/k/')) return undefined
  if (!isPath && !/^https?:\/\//i.test(url)) return INVALID
  const whole = isPath ? `http://x${url}` : url
  if (!URL.canParse(whole)) return INVALID
  const { host, pathname, search } = new URL(whole)
  const found = decoded(pathname) + search
  const { key, url: path } = keyInPath(found) ?? { key: undefined, url: found }
  incoming.url = path
  note(incoming, { key, host: isPath ? undefined : host })
  return undefined
}

/** Writes the Host as URL parsers do. The URL of a Request cannot be made of another spelling. */
function readHost(incoming: IncomingMessage): Refusal | undefined {
  const { host } = incoming.headers
  if (host === undefined || host === '' || USUAL_HOST.test(host)) return undefined
  if (/[@/?\\#]/.test(host) || !URL.canParse(`http://${host}`)) return INVALID_HOST
  incoming.headers.host = new URL(`http://${host}`).host
  note(incoming, { hostHeader: host })
  return undefined
}

function note(incoming: IncomingMessage, found: Target) {
  unusual.set(incoming, { ...unusual.get(incoming), ...found })
}

/** What the target of a request said besides its path and query. */
export function targetOf(incoming: IncomingMessage): Target {
  return unusual.get(incoming) ?? NOTHING
}

/** Few requests have such a target. */
const unusual = new WeakMap<IncomingMessage, Target>()

const NOTHING: Target = {}

const INVALID: Refusal = { status: 400, reason: 'the request target is not valid' }

const INVALID_HOST: Refusal = { status: 400, reason: 'the Host header is not valid' }

/** A name or an IPv4 address, with a port up to 59999: most clients send such a Host. */
const USUAL_HOST = /^[a-z\d._-]+(?::(?:[1-5]\d{0,4}|[6-9]\d{0,3}))?$/

/** Path of a request without query and trailing slash. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** A path and a query that every reader reads in the same way: no encoded characters or dot segments in the path. */
const USUAL = /^(?:\/(?!\.{1,2}(?:[/?]|$))[\w!$&'()*+,.:;=@~-]*)+(?:\?[\w!$&'()*+,.:;=@~/?%-]*)?$/

/** RFC 3986 (6.2.2.2): letters, digits and four signs mean the same with and without encoding. All other characters stay as they are. */
function decoded(path: string): string {
  return path.replaceAll(/%[2-7][\da-f]/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded
  })
}
