import type { Hash } from 'viem'

import { sleep } from '../../../lib/sleep.ts'
import type { Source } from './source.ts'

/** Blocks of an hour at three seconds each: more are not read. */
const MOST = 1_200

/** Blocks of one native call. */
const CHUNK = 100

/** Points of the chart: one a minute. */
const POINTS = 60

const HOUR = 3_600

/** Milliseconds that a page waits for blocks: the newest are there by then. */
const WAIT = 100

/** Transactions a minute in the last hour, oldest first; undefined where no block was read. */
export type LastHour = { points: (number | undefined)[]; perSecond: number | undefined }

/** The newest block with its hash, and the solidified one. */
type Heads = { hash: Hash; head: number; solid: number }

/**
 * Counts the transactions of the last hour. The blocks are read once, newest first and one call after the other; later only the
 * new ones. `read` does not wait for all: until then, the oldest points are missing.
 */
export function createLastHour({ source, now }: createLastHour.Options) {
  /** Time in seconds and number of transactions, by height. */
  const blocks = new Map<number, { time: number; count: number }>()
  let reading: Promise<void> | undefined
  /** The heads of the last complete read: no visitor makes the node read the same blocks again. */
  let filled = ''

  async function fill(head: number, solid: number): Promise<void> {
    const oldest = Math.max(1, head - MOST + 1)
    // A reorg may have replaced blocks that are not solidified.
    for (const number of blocks.keys()) if (number > solid || number < oldest) blocks.delete(number)
    for (let end = head + 1; end > oldest; end -= CHUNK) {
      const startNum = Math.max(oldest, end - CHUNK)
      if (isKnown(startNum, end)) continue
      const found = await source.wallet.getBlockOutlines({ startNum, endNum: end })
      for (const { block_header, txIDs } of found) {
        const { number = 0, timestamp = 0 } = block_header.raw_data
        blocks.set(number, { time: timestamp / 1_000, count: txIDs.length })
      }
      if ((blocks.get(startNum)?.time ?? 0) < now() / 1_000 - HOUR) break
    }
  }

  function isKnown(from: number, end: number): boolean {
    for (let number = from; number < end; number++) if (!blocks.has(number)) return false
    return true
  }

  async function fillOnce({ hash, head, solid }: Heads): Promise<void> {
    try {
      await fill(head, solid)
      filled = `${hash} ${solid}`
    } catch {
      // The next reader tries again.
    } finally {
      reading = undefined
    }
  }

  return async function read(heads: Heads): Promise<LastHour> {
    if (filled !== `${heads.hash} ${heads.solid}`) reading ??= fillOnce(heads)
    if (reading) await Promise.race([reading, sleep(WAIT)])
    // Whole minutes: a bar of the past keeps its height, so the chart keeps its scale between two loads.
    const start = Math.ceil(now() / 60_000) * 60 - HOUR
    const points: (number | undefined)[] = Array.from({ length: POINTS }, () => undefined)
    const first = Math.min(...[...blocks.values()].map(({ time }) => time))
    for (const [index] of points.entries())
      if (start + (index + 1) * (HOUR / POINTS) > first) points[index] = 0
    for (const { count, time } of blocks.values()) {
      // Blocks of a development chain can be ahead of the clock.
      const index = Math.min(POINTS - 1, Math.floor(((time - start) / HOUR) * POINTS))
      if (index >= 0) points[index] = (points[index] ?? 0) + count
    }
    const lastMinute = [...blocks.values()].filter(({ time }) => time > now() / 1_000 - 60)
    const perSecond =
      blocks.size === 0 ? undefined : lastMinute.reduce((sum, { count }) => sum + count, 0) / 60
    return { points, perSecond }
  }
}

export declare namespace createLastHour {
  type Options = {
    source: Source
    /** Milliseconds since 1970. */
    now: () => number
  }
}
