import { LRUCache } from 'lru-cache'

import { faultOf, type RpcRequest } from './entry.ts'

/** A request as `JSON.parse` and `inspect` read it. */
type Read = {
  value: unknown
  /** The id as it was written. */
  rawId: string
}

/**
 * Requests that clients repeat with another id are not parsed again. Remembers short requests whose id is an integer. Another
 * text with the same characters around the integer has the same structure, so it would be parsed to the same value with another id.
 */
export function createRepeatedRequests() {
  const known = new LRUCache<string, Template>({ max: MAX_KNOWN })
  return {
    /** The request with this text, if one that differs in its id only is known; otherwise undefined. */
    find(text: string): Read | undefined {
      const parts = split(text)
      const template = parts && known.get(parts.around)
      if (!template) return undefined
      const { method, params } = template
      // A copy of the params: nothing that a method does to them is seen by the next request.
      const value = { jsonrpc: '2.0', id: Number(parts.id), method, params: params?.slice() }
      return { value, rawId: parts.id }
    },
    /** Remembers a request that was parsed. */
    add(text: string, { rawId, value }: { value: unknown; rawId: string | undefined }): void {
      const parts = split(text)
      if (!parts || parts.id !== rawId || faultOf(value) || !isId(text, parts, value)) return
      const { method, params } = value as RpcRequest
      if (params === undefined) known.set(parts.around, { method, params })
      else if (Array.isArray(params) && params.every(isPrimitive))
        known.set(parts.around, { method, params: params.slice() as unknown[] })
    },
  }
}

type Template = { method: string; params: readonly unknown[] | undefined }

/** Most requests that clients repeat are shorter. One with an address or a hash is rarely the same. */
const LONGEST = 100

/** Each takes a few hundred bytes. */
const MAX_KNOWN = 1_000

/** An id that may be the one of the request, and the text around it. */
type Parts = { at: number; id: string; around: string }

function split(text: string): Parts | undefined {
  if (text.length > LONGEST) return undefined
  const name = text.indexOf('"id":')
  if (name === -1) return undefined
  const at = name + 5
  let end = at
  while (isDigit(text.charCodeAt(end))) end++
  // JSON has no integers such as 01.
  if (end === at || (end > at + 1 && text.charCodeAt(at) === ZERO)) return undefined
  return { at, id: text.slice(at, end), around: text.slice(0, at) + text.slice(end) }
}

/** Whether these digits are the id of the request, and not part of a text or of a param: another number is another id. */
function isId(text: string, { at, id }: Parts, request: unknown): boolean {
  const other = id === '0' ? '1' : '0'
  const changed: unknown = JSON.parse(text.slice(0, at) + other + text.slice(at + id.length))
  return idOf(request) === Number(id) && idOf(changed) === Number(other)
}

function idOf(request: unknown): unknown {
  return (request as { id?: unknown }).id
}

const ZERO = 0x30

function isDigit(code: number): boolean {
  return code >= ZERO && code <= 0x39
}

function isPrimitive(value: unknown): boolean {
  return typeof value !== 'object' || value === null
}
