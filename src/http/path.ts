import type { IncomingMessage } from 'node:http'

/**
 * Writes the path of a request as the router reads it: without dot segments, backslashes, and characters that need no
 * encoding. Otherwise `/./metrics` or `/%6detrics` would pass checks of the path and be served as `/metrics`. A proxy may
 * write the whole address, of which the path and the query stay.
 */
export function normalisePath(incoming: IncomingMessage): void {
  const { url = '/' } = incoming
  const end = url.indexOf('?')
  const path = end === -1 ? url : url.slice(0, end)
  if (path.startsWith('/') && !UNUSUAL.test(path)) return
  const whole = path.startsWith('/') ? `http://x${url}` : url
  if (!URL.canParse(whole)) return
  const { pathname, search } = new URL(whole)
  incoming.url = decoded(pathname) + search
}

/** Path of a request without query and trailing slash. */
export function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

const UNUSUAL = /[%\\]|\/\.{1,2}(?:\/|$)/

function decoded(path: string): string {
  try {
    return encodeURI(decodeURI(path))
  } catch {
    return path
  }
}
