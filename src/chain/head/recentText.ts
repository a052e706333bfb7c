import type { RpcLog } from '../../codec/types.ts'
import type { RecentBlock } from './headTypes.ts'

// Many filters and subscriptions deliver the same recent block: its texts are built once and dropped with the block.
const headers = new WeakMap<RecentBlock, string>()
const logs = new WeakMap<RpcLog, string>()
const removedLogs = new WeakMap<RpcLog, string>()

/** The JSON text of a `newHeads` payload. */
export function recentHeaderText(block: RecentBlock): string {
  return cached(headers, block, () => JSON.stringify(block.header))
}

/** The JSON text of a log of a recent block; `removed: true` in it says that a reorg removed its block. */
export function recentLogText(log: RpcLog, removed: boolean): string {
  return removed
    ? cached(removedLogs, log, () => JSON.stringify({ ...log, removed: true }))
    : cached(logs, log, () => JSON.stringify(log))
}

function cached<key extends object>(
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
