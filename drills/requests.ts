import type { DrillNode } from './case.ts'

/** The text of a call. */
export function callText(method: string, params: readonly unknown[] = [], id = 1): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params })
}

/** An HTTP/1.1 POST as bytes on the wire. */
export function postText(body: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`)
  return `POST / HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Params of the `index`-th eth_getLogs whose answer has about 6 MB; no two are the same. */
export function largeLogs(
  { dense }: DrillNode,
  index: number,
): [{ fromBlock: string; toBlock: string }] {
  const blocks = Math.floor(LOGS / dense.logsPerBlock)
  const from = dense.from + (index % (dense.to - dense.from + 1 - blocks))
  return [{ fromBlock: hex(from), toBlock: hex(from + blocks - 1) }]
}

/** Less than `--logs-max-results` has by default. */
const LOGS = 8_400

function hex(number: number): string {
  return `0x${number.toString(16)}`
}
