import { appendFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'

import {
  type Answer,
  findAnswer,
  nativeRecording,
  paramsKey,
  releaseRecording,
  requestKey,
  rpcRecording,
} from './recording.ts'
import { serve } from './serve.ts'

/** A request as the replay node receives it. `path` has no query. */
export type ReplayRequest = { method: string; path: string; query: string; body: string }

/** An answer that a test returns instead of the recorded one. */
export type ReplayReply = { status?: number; type?: string; text: string | Uint8Array }

/** A node that replays recorded answers. */
export type ReplayNode = {
  /** Base address of `/wallet`. */
  url: string
  /** Base address of `/walletsolidity`. */
  solidityUrl: string
  /** The node's own JSON-RPC. */
  rpcUrl: string
  requests: ReplayRequests
  close(): Promise<void>
}

/** The requests so far. */
export type ReplayRequests = {
  total(): number
  /** Number of calls of one path, such as `/wallet/getblock`, or of all paths with a prefix. */
  count(path: string): number
  /** Paths in the order of arrival. */
  paths(): string[]
  reset(): void
}

/**
 * A node that returns the recorded answers of a real node over a real socket. The head is always block 223, which is
 * solidified. A request that is not in the recording gets HTTP 500 with the request, so that the failing test shows what
 * to record.
 *
 * With `ETHGATE_RECORD_MISSING=<address of the recorded node>` such a request goes to that node instead and is added to
 * `test/fixtures/requests/captured.jsonl`, which the next `npm run record` includes.
 */
export async function startReplayNode({
  intercept,
}: startReplayNode.Options = {}): Promise<ReplayNode> {
  let seen: string[] = []
  const missing = process.env['ETHGATE_RECORD_MISSING']

  async function answer(request: ReplayRequest): Promise<ReplayReply> {
    const own = await intercept?.(request)
    if (own) return own
    return request.path === '/jsonrpc' ? replayRpc(request, missing) : replay(request, missing)
  }

  const server = await serve(async (incoming, outgoing) => {
    const [path = '/', query = ''] = (incoming.url ?? '/').split('?')
    seen.push(path)
    const request = {
      method: incoming.method ?? 'GET',
      path,
      query,
      body: await text(incoming),
    }
    try {
      const { status = 200, text, type = 'application/json;charset=utf-8' } = await answer(request)
      outgoing.writeHead(status, { 'content-type': type }).end(text)
    } catch (error) {
      outgoing.writeHead(500, { 'content-type': 'text/plain' }).end(String(error))
    }
  })

  return {
    ...server,
    solidityUrl: server.url,
    rpcUrl: `${server.url}/jsonrpc`,
    requests: {
      total: () => seen.length,
      count: (path) => seen.filter((one) => one === path || one.startsWith(`${path}/`)).length,
      paths: () => [...seen],
      reset() {
        seen = []
      },
    },
  }
}

export declare namespace startReplayNode {
  type Options = {
    /** Returns an answer instead of the recorded one; undefined for the recorded one. */
    intercept?: (
      request: ReplayRequest,
    ) => ReplayReply | undefined | Promise<ReplayReply | undefined>
  }
}

/** The exact text of a recorded answer of the node's HTTP interface. @throws when it is not recorded */
export function recordedNative(path: string, body: object = {}): string {
  const answer = findAnswer(nativeRecording(), path, requestKey('POST', '', JSON.stringify(body)))
  if (!answer) throw new Error(`not recorded: ${path} ${JSON.stringify(body)}`)
  return answer[2]
}

/**
 * Answers as another release of the node, where it differs from the recorded one. For `intercept`.
 *
 * @param release - such as `4.8.2`: one that is recorded.
 */
export function asRelease(release: string): (request: ReplayRequest) => ReplayReply | undefined {
  const { native, rpc } = releaseRecording(release)
  return ({ body, method, path, query }) => {
    if (path !== '/jsonrpc') {
      const index = native.requests[path]?.[requestKey(method, query, body)]
      const found = index === undefined ? undefined : native.answers.at(index)
      return found && replyOf(found)
    }
    const call = JSON.parse(body) as RpcCall
    const index = rpc.requests[call.method]?.[paramsKey(call.params)]
    const text = index === undefined ? undefined : rpc.answers.at(index)?.[2]
    return text === undefined
      ? undefined
      : { text: text.replace('"id":1', `"id":${JSON.stringify(call.id)}`) }
  }
}

/** A recorded answer of the node's own JSON-RPC. @throws when it is not recorded */
export function recordedRpc(
  method: string,
  params: unknown[],
): { result?: unknown; error?: { code: number; message: string; data?: unknown } } {
  const recording = rpcRecording()
  const index = recording.requests[method]?.[paramsKey(params)]
  const text = index === undefined ? undefined : recording.answers.at(index)?.[2]
  if (text === undefined) throw new Error(`not recorded: ${method} ${JSON.stringify(params)}`)
  return JSON.parse(text) as ReturnType<typeof recordedRpc>
}

async function replay(request: ReplayRequest, missing: string | undefined): Promise<ReplayReply> {
  const { body, method, path, query } = request
  const found = findAnswer(nativeRecording(), path, requestKey(method, query, body))
  if (found) return replyOf(found)
  // A gateway serves this path, and a node does not know it.
  if (path === '/chain.json') return { status: 404, type: 'text/html', text: '' }
  if (!missing) throw new Error(`not recorded: ${method} ${path}${query && '?'}${query} ${body}`)
  const port = path.startsWith('/walletsolidity/') ? 1 : 0
  const url = new URL(missing)
  url.port = String(Number(url.port) + port)
  note({ path: query ? `${path}?${query}` : path, text: body, method })
  const response = await fetch(
    `${url.origin}${path}${query && '?'}${query}`,
    method === 'POST' ? { method, body } : {},
  )
  return { status: response.status, text: await response.text() }
}

type RpcCall = { id?: unknown; method: string; params?: unknown[] }

async function replayRpc(
  { body }: ReplayRequest,
  missing: string | undefined,
): Promise<ReplayReply> {
  const input = JSON.parse(body) as RpcCall | RpcCall[]
  const one = async ({ id = null, method, params = [] }: RpcCall): Promise<string> => {
    const recording = rpcRecording()
    const index = recording.requests[method]?.[paramsKey(params)]
    const text = index === undefined ? undefined : recording.answers.at(index)?.[2]
    if (text !== undefined) return text.replace('"id":1', `"id":${JSON.stringify(id)}`)
    if (!missing) throw new Error(`not recorded: ${method} ${JSON.stringify(params)}`)
    const url = new URL('/jsonrpc', missing)
    url.port = String(Number(url.port) + 455)
    note({ rpc: method, params })
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    })
    return response.text()
  }
  if (!Array.isArray(input)) return { text: await one(input) }
  return { text: `[${(await Promise.all(input.map(one))).join(',')}]` }
}

function note(request: unknown): void {
  const file = new URL('../fixtures/requests/captured.jsonl', import.meta.url)
  appendFileSync(file, `${JSON.stringify(request)}\n`)
}

function replyOf([status, type, text]: Answer): ReplayReply {
  return { status, type, text }
}
