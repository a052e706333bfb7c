import { writeFileSync } from 'node:fs'
import { brotliCompressSync, constants } from 'node:zlib'

import { parseNative } from '../../src/native/json.ts'
import { paramsKey, recordingFile, requestKey, type Recording } from '../../test/recording.ts'

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
 * @param upstream - base address of `/wallet`.
 * @param solidity - base address of `/walletsolidity`.
 */
export function createRecorder(upstream: string, solidity: string, rpcUrl: string): Recorder {
  const native = createBook()
  const rpc = createBook()

  async function keep(
    path: string,
    method: 'GET' | 'POST',
    query: string,
    text: string,
  ): Promise<unknown> {
    const key = requestKey(method, query, text)
    const base = path.startsWith('/walletsolidity/') ? solidity : upstream
    if (!native.has(path, key)) {
      const response = await fetch(
        `${base}${path}${query && '?'}${query}`,
        method === 'POST' ? { method, body: text } : {},
      )
      const type = response.headers.get('content-type') ?? 'text/plain'
      native.add(path, key, response.status, type, await response.text())
    }
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
      if (!rpc.has(method, key)) {
        const response = await fetch(rpcUrl, {
          method: 'POST',
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        })
        rpc.add(method, key, response.status, 'application/json-rpc', await response.text())
      }
      return (tryParse(rpc.text(method, key)) as { result?: unknown } | undefined)?.result
    },
    counts: () => ({ native: native.size(), rpc: rpc.size() }),
    save: (head) => ({ native: native.save('native', head), rpc: rpc.save('rpc', head) }),
  }
  return self
}

function createBook() {
  const answers: Recording['answers'] = []
  const known = new Map<string, number>()
  const requests: Recording['requests'] = {}

  return {
    has: (path: string, key: string) => requests[path]?.[key] !== undefined,
    text(path: string, key: string): string {
      return answers[requests[path]?.[key] ?? -1]?.[2] ?? ''
    },
    size: () => Object.values(requests).reduce((sum, keys) => sum + Object.keys(keys).length, 0),
    add(path: string, key: string, status: number, type: string, text: string) {
      const id = `${status} ${type} ${text}`
      let index = known.get(id)
      if (index === undefined) {
        index = answers.push([status, type, text]) - 1
        known.set(id, index)
      }
      ;(requests[path] ??= {})[key] = index
    },
    /** Returns the size of the file in bytes. */
    save(name: 'native' | 'rpc', head: number): number {
      const json = Buffer.from(JSON.stringify({ head, answers, requests } satisfies Recording))
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
  const queue = [...items]
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await task(item)
  }
  await Promise.all(Array.from({ length: 6 }, worker))
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
