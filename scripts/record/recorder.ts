import { existsSync, writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

import pLimit from 'p-limit'

import { parseNative } from '../../src/native/wire/json.ts'
import {
  type Answer,
  nativeRecording,
  paramsKey,
  type Recording,
  recordingFile,
  requestKey,
  rpcRecording,
  type WholeRecording,
} from '../../test/support/recording.ts'

/** Asks a node and keeps every answer under the key that the replay node will look for. */
export type Recorder = {
  /** Asks by POST, or as told; answers with the parsed JSON, or undefined where there is none. */
  ask(path: string, body?: unknown, options?: { method?: 'GET' | 'POST' }): Promise<unknown>
  /** Sends a text as it is: for bodies that are not JSON. */
  askText(path: string, text: string): Promise<void>
  /** The same body on both prefixes. */
  both(name: string, body?: unknown): Promise<void>
  rpc(method: string, params?: unknown[]): Promise<unknown>
  counts(): { native: number; rpc: number }
  save(head: number): { native: number; rpc: number }
}

/**
 * Keeps what the last recording has: the chain does not change, but a builder's answer contains the time of day, and the
 * tests must not change with it.
 */
export function createRecorder({
  fresh,
  rpcUrl,
  solidity,
  upstream,
}: createRecorder.Options): Recorder {
  const native = createBook(
    fresh || !existsSync(recordingFile('native')) ? undefined : nativeRecording(),
  )
  const rpc = createBook(fresh || !existsSync(recordingFile('rpc')) ? undefined : rpcRecording())

  async function keep(
    path: string,
    method: 'GET' | 'POST',
    query: string,
    text: string,
  ): Promise<unknown> {
    const key = requestKey(method, query, text)
    const base = path.startsWith('/walletsolidity/') ? solidity : upstream
    await native.fill(path, key, async () => {
      const response = await fetch(
        `${base}${path}${query && '?'}${query}`,
        method === 'POST' ? { method, body: text } : {},
      )
      const type = response.headers.get('content-type') ?? 'text/plain'
      return [response.status, type, await response.text()]
    })
    return tryParse(native.text(path, key))
  }

  const self: Recorder = {
    ask(path, body, { method = 'POST' } = {}) {
      const [name = path, query = ''] = path.split('?')
      return keep(name, method, query, method === 'GET' ? '' : write(body ?? {}))
    },
    async askText(path, text) {
      await keep(path, 'POST', '', text)
    },
    async both(name, body) {
      await self.ask(`/wallet/${name}`, body)
      await self.ask(`/walletsolidity/${name}`, body)
    },
    async rpc(method, params = []) {
      const key = paramsKey(params)
      await rpc.fill(method, key, async () => {
        const response = await fetch(rpcUrl, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
        return [response.status, 'application/json-rpc', await response.text()]
      })
      return (tryParse(rpc.text(method, key)) as { result?: unknown } | undefined)?.result
    },
    counts: () => ({ native: native.size(), rpc: rpc.size() }),
    save: (head) => ({ native: native.save('native', head), rpc: rpc.save('rpc', head) }),
  }
  return self
}

export declare namespace createRecorder {
  type Options = {
    /** Base address of `/wallet`. */
    upstream: string
    /** Base address of `/walletsolidity`. */
    solidity: string
    rpcUrl: string
    /** Ask everything anew. */
    fresh: boolean
  }
}

/** Harmless calls time out on a busy node; an endless one does so every time. */
export const TIMED_OUT = /CPU timeout for|4350552074696d656f757420666f72/

async function askPatiently(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask()
  for (let tries = 0; tries < 2 && TIMED_OUT.test(answer[2]); tries++) answer = await ask()
  return answer
}

function createBook(before: Recording | undefined) {
  const answers: Answer[] = []
  const known = new Map<string, number>()
  const requests: Recording['requests'] = {}

  function add(path: string, key: string, answer: Answer): void {
    const id = answer.join(' ')
    let index = known.get(id)
    if (index === undefined) {
      index = answers.push(answer) - 1
      known.set(id, index)
    }
    ;(requests[path] ??= {})[key] = index
  }

  return {
    async fill(path: string, key: string, ask: () => Promise<Answer>): Promise<void> {
      if (requests[path]?.[key] !== undefined) return
      const old = before?.requests[path]?.[key]
      const kept = old === undefined ? undefined : before?.answers.at(old)
      add(path, key, kept ?? (await askPatiently(ask)))
    },
    text(path: string, key: string): string {
      return answers[requests[path]?.[key] ?? -1]?.[2] ?? ''
    },
    size: () => Object.values(requests).reduce((sum, keys) => sum + Object.keys(keys).length, 0),
    /** Returns the size of the file in bytes. */
    save(name: 'native' | 'rpc', head: number): number {
      const json = Buffer.from(JSON.stringify({ head, answers, requests } satisfies WholeRecording))
      const bytes = brotliCompressSync(json, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 10,
          [constants.BROTLI_PARAM_LGWIN]: 24,
          [constants.BROTLI_PARAM_SIZE_HINT]: json.length,
        },
      })
      writeFileSync(recordingFile(name), bytes)
      return bytes.length
    },
  }
}

/** Runs tasks a few at a time: the node stays responsive to others. */
export async function eachOf<item>(
  items: Iterable<item>,
  task: (item: item) => Promise<unknown>,
): Promise<void> {
  await pLimit(6).map(items, task)
}

function write(body: unknown): string {
  return JSON.stringify(body, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
}

function tryParse(text: string): unknown {
  try {
    return parseNative(text)
  } catch {
    return undefined
  }
}
