import {
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'

import { parseNative, stringifyNative } from '../../src/native/wire/json.ts'

/** Answers of a real node, exactly as received, with their requests. */
export type Recording = {
  /** Number of the newest block. */
  head: number
  /** Requests with equal answers share one. */
  answers: { at(index: number): Answer | undefined }
  /** Path or method → canonical request → index into `answers`. */
  requests: Record<string, Record<string, number>>
}

/** A recording as its file has it. */
export type WholeRecording = Omit<Recording, 'answers'> & { answers: Answer[] }

/** An answer of the node: status, content type and text. */
export type Answer = [status: number, type: string, text: string]

/** Answers of the same node's gRPC interface: method → hex of the request → base64 of the serialised response. */
export type GrpcRecording = Record<string, Record<string, string>>

/** One line of a request list: a native call, or a call of the node's own JSON-RPC. */
export type RecordedRequest =
  | { path: string; body?: unknown; text?: string; method?: 'GET' | 'POST' }
  | { rpc: string; params: unknown[] }

const FOLDER = new URL('../fixtures/recorded/', import.meta.url)

/** What was unpacked, for later processes too. */
const UNPACKED = new URL('../../node_modules/.cache/ethgate-recorded/', import.meta.url)

/** The recorded answers of the native HTTP interface. Read once in a process. */
export const nativeRecording = once(() => open('native'))

/** The recorded answers of the node's own JSON-RPC. Read once in a process. */
export const rpcRecording = once(() => open('rpc'))

/** The recorded answers of the node's gRPC interface. Read once in a process. */
export const grpcRecording = once(
  () =>
    JSON.parse(
      brotliDecompressSync(readFileSync(new URL('grpc.json.br', FOLDER))).toString(),
    ) as GrpcRecording,
)

/** Writes a recording. @returns the number of written bytes */
export function writeGrpcRecording(recording: GrpcRecording): number {
  const bytes = brotliCompressSync(JSON.stringify(recording))
  writeFileSync(new URL('grpc.json.br', FOLDER), bytes)
  return bytes.length
}

/** The answers of another release of the node, as far as they differ. */
export type ReleaseRecording = Record<Part, Recording>

type Part = 'native' | 'rpc'

/** Writes a recording. @returns the number of written bytes */
export function writeReleaseRecording(
  release: string,
  recording: Record<Part, WholeRecording>,
): number {
  const bytes = brotliCompressSync(JSON.stringify(recording))
  writeFileSync(new URL(`release-${release}.json.br`, FOLDER), bytes)
  return bytes.length
}

/** The answers of a release of the node that differ from the other recordings. */
export function releaseRecording(release: string): ReleaseRecording {
  const part = (name: Part) => open(`release-${release}`, name)
  return { native: part('native'), rpc: part('rpc') }
}

/** The file into which `scripts/record.ts` writes a recording. */
export function recordingFile(name: Part): URL {
  return new URL(`${name}.json.br`, FOLDER)
}

/**
 * The key of a native request. Bodies with the same meaning for the node have the same key: it omits fields with their
 * protobuf default and ignores the order of fields.
 *
 * @param query - with the leading `?`, or empty.
 */
export function requestKey(method: string, query: string, body: string): string {
  if (method === 'GET' && query !== '')
    return `?${query.replace(/^\?/, '').split('&').toSorted().join('&')}`
  if (method === 'GET') return 'GET'
  if (body.trim() === '') return '{}'
  try {
    return stringifyNative(canonical(parseNative(body)))
  } catch {
    return `raw ${body}`
  }
}

/** The key of a JSON-RPC call. */
export function paramsKey(params: unknown): string {
  return JSON.stringify(canonical(params ?? []))
}

/**
 * The recorded answer to a native request, or an answer that follows from the whole chain: a range of recorded blocks, and
 * `{}` for an unknown object. Undefined for other requests.
 */
export function findAnswer(recording: Recording, path: string, key: string): Answer | undefined {
  const keys = recording.requests[path]
  const index = keys?.[key] ?? (key === 'GET' ? keys?.['{}'] : undefined)
  if (index !== undefined) return recording.answers.at(index)
  return inferAnswer(recording, path, key)
}

const JSON_TYPE = 'application/json;charset=utf-8'

function inferAnswer(recording: Recording, path: string, key: string): Answer | undefined {
  const [, prefix, name] = path.split('/')
  if (!prefix || !name || !key.startsWith('{')) return undefined
  const body = JSON.parse(key) as Record<string, unknown>
  const { head } = recording
  const nothing: Answer = [200, JSON_TYPE, '{}\n']
  switch (name) {
    case 'getblockbynum':
      return above(body['num'], head) ? nothing : undefined
    case 'getblock':
      return /^\d+$/.test(String(body['id_or_num'])) && Number(body['id_or_num']) > head
        ? nothing
        : undefined
    case 'gettransactioninfobyblocknum':
      return above(body['num'], head) ? [200, JSON_TYPE, '[]\n'] : undefined
    case 'gettransactioncountbyblocknum':
      return above(body['num'], head) ? [200, JSON_TYPE, '{"count": 0}\n'] : undefined
    case 'gettransactionbyid':
    case 'gettransactioninfobyid':
    case 'gettransactionfrompending':
    case 'getblockbyid':
      return isHex(body['value'], 64) ? nothing : undefined
    case 'getaccount':
    case 'getaccountresource':
    case 'getaccountnet':
      return isHex(body['address'], 42) ? nothing : undefined
    case 'getcontract':
    case 'getcontractinfo':
      return isHex(body['value'], 42) ? nothing : undefined
    case 'getblockbylimitnext':
      return blocks(recording, prefix, Number(body['startNum'] ?? 0), Number(body['endNum']))
    case 'getblockbylatestnum': {
      const count = Number(body['num'])
      return count >= 1 && count <= 99
        ? blocks(recording, prefix, Math.max(0, head + 1 - count), head + 1)
        : nothing
    }
    default:
      return undefined
  }
}

/** Blocks `from` ≤ n < `to` in the format of `getblockbylimitnext`. */
function blocks(recording: Recording, prefix: string, from: number, to: number): Answer {
  if (!(to > 0 && to > from && to - from <= 100 && from >= 0)) return [200, JSON_TYPE, '{}\n']
  const texts: string[] = []
  for (let number = from; number < Math.min(to, recording.head + 1); number++) {
    const key = number === 0 ? '{}' : `{"num":${number}}`
    const answer = findAnswer(recording, `/${prefix}/getblockbynum`, key)
    if (!answer) throw new Error(`block ${number} is not in the recording`)
    texts.push(answer[2].trim())
  }
  return [200, JSON_TYPE, `{"block":[${texts.join(',')}]}\n`]
}

function above(number: unknown, head: number): boolean {
  return typeof number === 'number' && number > head
}

function isHex(text: unknown, length: number): boolean {
  return typeof text === 'string' && text.length === length && /^[0-9a-f]+$/.test(text)
}

const DEFAULTS: Record<string, unknown> = {
  call_token_value: 0,
  call_value: 0,
  detail: false,
  num: 0,
  startNum: 0,
  token_id: 0,
  visible: false,
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
    .filter(([name, value]) => !(name in DEFAULTS && DEFAULTS[name] === value))
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([name, value]) => [name, canonical(value)]))
}

type Place = [status: number, type: string, start: number, bytes: number]

/**
 * Opens a recording. Its texts, some 15 MB, stay in a file, because each worker of the tests would have them in memory.
 *
 * @param part - of a file with two recordings.
 */
function open(name: string, part?: Part): Recording {
  const { index, texts } = unpack(name, part)
  const { answers, head, requests } = JSON.parse(readFileSync(index, 'utf8')) as Unpacked
  const file = openSync(texts, 'r')
  const at = (index: number): Answer | undefined => {
    const place = answers[index]
    if (!place) return undefined
    const [status, type, start, bytes] = place
    const text = Buffer.alloc(bytes)
    readSync(file, text, 0, bytes, start)
    return [status, type, text.toString()]
  }
  return { head, requests, answers: { at } }
}

type Unpacked = Omit<Recording, 'answers'> & { answers: Place[] }

/** Unpacks a recording, unless this or another process has done it. */
function unpack(name: string, part: Part | undefined) {
  const packed = new URL(`${name}.json.br`, FOLDER)
  const { mtimeMs, size } = statSync(packed)
  const place = fileURLToPath(new URL(`${name}-${part ?? ''}-${size}-${mtimeMs}`, UNPACKED))
  const index = `${place}.json`
  const texts = `${place}.txt`
  if (existsSync(index)) return { index, texts }
  const json: unknown = JSON.parse(brotliDecompressSync(readFileSync(packed)).toString())
  const whole = part ? (json as Record<Part, WholeRecording>)[part] : (json as WholeRecording)
  const buffers = whole.answers.map(([, , text]) => Buffer.from(text))
  let start = 0
  const places = whole.answers.map(([status, type], index): Place => {
    const bytes = buffers[index]?.length ?? 0
    start += bytes
    return [status, type, start - bytes, bytes]
  })
  mkdirSync(UNPACKED, { recursive: true })
  // The index comes last, so a process that finds it finds the texts.
  for (const [file, content] of [
    [texts, Buffer.concat(buffers)],
    [index, JSON.stringify({ ...whole, answers: places } satisfies Unpacked)],
  ] as const) {
    const own = `${file}.${process.pid}`
    writeFileSync(own, content)
    renameSync(own, file)
  }
  return { index, texts }
}

function once<value>(make: () => value): () => value {
  let made: { value: value } | undefined
  return () => (made ??= { value: make() }).value
}
