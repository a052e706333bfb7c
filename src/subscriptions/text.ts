import type { RecentBlock } from '../chain/headTypes.ts'
import type { RpcLog } from '../codec/types.ts'

// A notification goes to many sockets: its payload is written as JSON once and dropped with its block.
const headers = new WeakMap<RecentBlock, string>()
const logs = new WeakMap<RpcLog, string>()
const removedLogs = new WeakMap<RpcLog, string>()

/** The JSON text of a `newHeads` payload. */
export function headerText(block: RecentBlock): string {
  return remembered(headers, block, () => JSON.stringify(block.header))
}

/** The JSON text of a log, as delivered or as taken away. */
export function logText(log: RpcLog, removed: boolean): string {
  return removed
    ? remembered(removedLogs, log, () => JSON.stringify({ ...log, removed: true }))
    : remembered(logs, log, () => JSON.stringify(log))
}

/** One notification frame. */
export function notification(id: string, payload: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${payload}}}`
}

function remembered<key extends object>(
  texts: WeakMap<key, string>,
  key: key,
  write: () => string,
): string {
  const known = texts.get(key)
  if (known !== undefined) return known
  const text = write()
  texts.set(key, text)
  return text
}
