import { parseArgs } from 'node:util'

import { parseNative } from '../src/native/wire/json.ts'
import {
  type Answer,
  nativeRecording,
  type Recording,
  rpcRecording,
  type WholeRecording,
  writeReleaseRecording,
} from '../test/support/recording.ts'
import { eachOf, TIMED_OUT } from './record/recorder.ts'

/**
 * Asks a node of another release, with the same chain, all that is recorded, and writes the answers that differ from the
 * recorded ones. The order of keys does not count.
 *
 * `tsx scripts/recordRelease.ts --release 4.8.2 --upstream http://127.0.0.1:8090`
 */
const { values } = parseArgs({
  options: {
    release: { type: 'string', default: '4.8.2' },
    upstream: { type: 'string', default: 'http://127.0.0.1:8090' },
  },
})
const portOf = (offset: number) => {
  const url = new URL(values.upstream)
  url.port = String(Number(url.port) + offset)
  return url.origin
}

/** Keeps what differs between the recorded answers and those of `ask`. */
async function differences(
  recording: Recording,
  ask: (path: string, key: string) => Promise<Answer>,
): Promise<WholeRecording> {
  const answers: Answer[] = []
  const requests: Recording['requests'] = {}
  for (const [path, keys] of Object.entries(recording.requests)) {
    if (LEFT_OUT.test(path)) continue
    await eachOf(Object.entries(keys), async ([key, index]) => {
      const before = recording.answers.at(index)
      const answer = await ask(path, key)
      // A timeout shows how busy the machine is, not a difference of the releases.
      if (!before || TIMED_OUT.test(answer[2]) || valueOf(before) === valueOf(answer)) return
      ;(requests[path] ??= {})[key] = answers.push(answer) - 1
    })
  }
  return { head: recording.head, answers, requests }
}

/** Broadcasts, which would change the node; and methods of its JSON-RPC that the gateway never calls. */
const LEFT_OUT = /broadcast|^(?:eth_get(?:Block|Transaction)|eth_call|eth_estimate)/

function valueOf([status, , text]: Answer): string {
  try {
    return `${status} ${JSON.stringify(sorted(parseNative(text)))}`
  } catch {
    return `${status} ${text}`
  }
}

function sorted(value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const entries = Object.entries(value).map(([name, part]) => [name, sorted(part)] as const)
  return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

async function answerOf(url: string, body: string | undefined): Promise<Answer> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body })
  const type = response.headers.get('content-type') ?? 'text/plain'
  return [response.status, type, await response.text()]
}

const native = await differences(nativeRecording(), (path, key) => {
  const url = `${path.startsWith('/walletsolidity/') ? portOf(1) : values.upstream}${path}`
  if (key === 'GET') return answerOf(url, undefined)
  return key.startsWith('?')
    ? answerOf(`${url}${key}`, undefined)
    : answerOf(url, key.replace(/^raw /, ''))
})
const rpc = await differences(rpcRecording(), (method, key) =>
  answerOf(
    `${portOf(455)}/jsonrpc`,
    `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${key}}`,
  ),
)
const count = ({ requests }: WholeRecording) =>
  Object.entries(requests).map(([path, keys]) => `${path} ${Object.keys(keys).length}`)
console.log([...count(native), ...count(rpc)].join('\n'))
console.log(`written: ${writeReleaseRecording(values.release, { native, rpc })} bytes`)
