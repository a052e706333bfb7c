import type { Call } from '../../lib/call.ts'

/**
 * Notes the heights that are read. Where they follow each other, it begins to read the next ones, as an operating system reads a file:
 * the more have followed each other, the more. Callers that read the same stretch share it.
 */
export type ReadAhead = (number: number, call: Call | undefined, bytes?: number) => void

/** Stretches that are followed at the same time. */
const STRETCHES = 8

/** Heights in order after which reading ahead begins. */
const ORDERLY = 3

/** Blocks and bytes that are read ahead of one stretch, at most. */
const MOST = 16
const MOST_BYTES = 8 * 1024 * 1024

/** Creates the notes of one kind of reads. */
export function createReadAhead({ isSpare, newest, read }: createReadAhead.Options): ReadAhead {
  let stretches: Stretch[] = []

  return (number, call, bytes = 0) => {
    const found = stretches.find(({ next }) => next === number)
    const stretch = found ?? { length: 0, next: number, to: number }
    stretch.length += 1
    stretch.next = number + 1
    stretches = [stretch, ...stretches.filter((other) => other !== stretch)].slice(0, STRETCHES)
    const window = Math.min(MOST, stretch.length, Math.floor(MOST_BYTES / Math.max(bytes, 1)))
    // Several are read at once, when half of the last ones have been asked for.
    if (stretch.length < ORDERLY || stretch.to - number > window / 2 || !isSpare()) return
    const from = Math.max(stretch.to, number) + 1
    stretch.to = Math.min(newest(), number + window)
    for (let ahead = from; ahead <= stretch.to; ahead++)
      // Whoever asks for this height sees why it failed.
      read(ahead, call).catch(() => {})
  }
}

export declare namespace createReadAhead {
  type Options = {
    /** Whether the nodes have time for reads that nobody has asked for. */
    isSpare: () => boolean
    /** The newest height that may be read ahead: the solidified block, because those above it can change. */
    newest: () => number
    /** Reads a height into a cache. The costs are those of the caller whose signal is given; it stops when that caller leaves. */
    read: (number: number, call: Call | undefined) => Promise<unknown>
  }
}

/** Heights that were asked for in order: how many, the one that comes next, and the last one that was read ahead. */
type Stretch = { length: number; next: number; to: number }
