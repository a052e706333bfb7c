import { toQuantity } from '../../codec/quantity.ts'
import type { Head } from '../head/headTypes.ts'
import { SLOT } from '../head/pollSchedule.ts'
import { newestOf } from '../head/window.ts'

/** Milliseconds. A node that delivers new blocks older than this is catching up. */
const SYNCING_AFTER = 60_000

/**
 * The payload of a `syncing` notification: `false`, or how far behind the newest block is. An old head that does
 * not move is a chain without new blocks; an old head that moves is a node that catches up.
 */
export function syncText(head: Pick<Head, 'status' | 'window'>, now: number): string {
  const window = head.window()
  if (!window) return 'false'
  const { number, timestamp } = newestOf(window)
  const behind = now - timestamp
  const still = (head.status().age ?? 0) > SYNCING_AFTER
  if (behind < SYNCING_AFTER || still) return 'false'
  return JSON.stringify({
    syncing: true,
    status: {
      startingBlock: toQuantity(window.blocks[0]?.number ?? 0),
      currentBlock: toQuantity(number),
      highestBlock: toQuantity(number + Math.floor(behind / SLOT)),
    },
  })
}
