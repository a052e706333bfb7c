import { fromBase58 } from '../../lib/base58.ts'
import { parseNative } from '../../native/wire/json.ts'

/** An error body of the node: `{"Error":"class <name> : <message>"}`. */
export class NodeError extends Error {
  override name = 'NodeError'
  readonly className: string

  constructor(className: string, message: string) {
    super(message)
    this.className = className
  }
}

/** The error body for a member with a wrong value. */
export const illegalArgument = (message: string) =>
  new NodeError('java.lang.IllegalArgumentException', message)
/** The error body of the node for input that its code does not expect. */
export const nullPointer = (message: string) =>
  new NodeError('java.lang.NullPointerException', message)
/** The error body for a member that the node cannot read. */
export const parseError = (message: string) =>
  new NodeError('org.tron.core.services.http.JsonFormat$ParseException', message)
/** The error body for text that is no JSON. */
const jsonError = (message: string) => new NodeError('com.alibaba.fastjson.JSONException', message)

/** An error body without a class: `{"Error":"<message>"}`. */
export class PlainNodeError extends Error {
  override name = 'PlainNodeError'
}

type Member = { text: string; column: number }

/**
 * The members of a request, read as the node reads them: an int64 must be digits, bytes must be hex (or base58 when
 * `visible`). An error names the position of the token.
 */
export type Params = ReturnType<typeof paramsOf>

/** Reads a body. Text that is not a JSON object is a form, unless `strict`, for operations that accept only JSON. */
export function readParams(body: string, strict = false): Params {
  const text = body.trim()
  if (text === '') {
    if (strict) throw nullPointer('null')
    throw parseError('1:1: Expected "{".')
  }
  if (text === 'null') throw nullPointer('null')
  if (text.startsWith('[') || text.startsWith('"')) throw jsonError('can not cast to JSONObject.')
  if (!text.startsWith('{')) {
    if (strict) throw jsonError('illegal state. \u001A')
    return queryParams(new URLSearchParams(text))
  }
  let json: Record<string, unknown>
  try {
    json = parseNative(text) as Record<string, unknown>
  } catch {
    throw jsonError('syntax error')
  }
  return paramsOf(json, members(text))
}

/** The members of a query string or a form, which are all texts. */
export function queryParams(query: URLSearchParams): Params {
  const json: Record<string, unknown> = {}
  const found = new Map<string, Member>()
  for (const [name, value] of query) {
    const bare = /^-?\d+$/.test(value) || value === 'true' || value === 'false'
    json[name] = bare ? parseNative(value) : value
    found.set(name, { text: bare ? value : JSON.stringify(value), column: 1 })
  }
  return paramsOf(json, found)
}

function paramsOf(json: Readonly<Record<string, unknown>>, found: ReadonlyMap<string, Member>) {
  const visible = String(json['visible']) === 'true'
  const at = (name: string) => {
    const member = found.get(name)
    return member && member.text !== 'null' ? member : undefined
  }
  const refuse = (member: Member, reason: string): never => {
    throw parseError(`1:${member.column}: ${reason}`)
  }
  const string = (name: string): string => {
    const member = at(name)
    if (!member) return ''
    if (!member.text.startsWith('"')) return refuse(member, 'Expected string.')
    return JSON.parse(member.text) as string
  }
  return {
    visible,
    /** The body as one JSON value. */
    json,
    has: (name: string) => at(name) !== undefined,
    text: string,
    int(name: string): bigint {
      const member = at(name)
      if (!member) return 0n
      if (!/^-?\d+$/.test(member.text))
        refuse(member, `Couldn't parse integer: For input string: "${member.text}"`)
      const value = BigInt(member.text)
      if (BigInt.asIntN(64, value) !== value)
        refuse(
          member,
          `Couldn't parse integer: Number out of range for 64-bit signed integer: ${member.text}`,
        )
      return value
    },
    flag(name: string): boolean {
      const member = at(name)
      if (!member) return false
      if (member.text !== 'true' && member.text !== 'false')
        refuse(member, 'Expected "true" or "false".')
      return member.text === 'true'
    },
    /** A bytes member as hex. When `visible`, addresses are base58 and texts are UTF-8. */
    hex(name: string, kind: 'bytes' | 'address' | 'text' = 'bytes'): string {
      const value = string(name)
      if (value === '') return ''
      const member = at(name) as Member
      if (visible && kind === 'text') return Buffer.from(value).toString('hex')
      if (visible && kind === 'address') return fromVisible(value, member, refuse)
      const digits = value.replace(/^0x/, '')
      if (/[^\da-f]/i.test(digits)) refuse(member, 'INVALID hex String')
      return (digits.length % 2 ? `0${digits}` : digits).toLowerCase()
    },
  }
}

function fromVisible(
  value: string,
  member: Member,
  refuse: (member: Member, reason: string) => never,
): string {
  const wrong = /[^1-9A-HJ-NP-Za-km-z]/.exec(value)
  if (wrong)
    refuse(member, `INVALID base58 String, Illegal character ${wrong[0]} at ${wrong.index}`)
  try {
    return fromBase58(value).toString('hex')
  } catch {
    throw nullPointer('Cannot read the array length because "bytes" is null')
  }
}

/** The members of a JSON object with the text of each value and its first column. */
function members(text: string): Map<string, Member> {
  const found = new Map<string, Member>()
  let i = 1
  const space = () => {
    while (/\s/.test(text[i] ?? '')) i++
  }
  const value = () => {
    const start = i
    let depth = 0
    while (i < text.length) {
      const char = text[i] as string
      if (char === '"') {
        i++
        while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
      } else if (char === '{' || char === '[') depth++
      else if (char === '}' || char === ']') {
        if (depth === 0) break
        depth--
      } else if (char === ',' && depth === 0) break
      i++
    }
    return { text: text.slice(start, i).trimEnd(), column: start + 1 }
  }
  for (;;) {
    space()
    const open = i
    if (text[i] !== '"') return found
    i++
    while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
    const name = JSON.parse(text.slice(open, ++i)) as string
    space()
    i++
    space()
    found.set(name, value())
    space()
    if (text[i] !== ',') return found
    i++
  }
}
