import type { Part } from './halves.ts'

/** Collects what is to be stored, and hands it on in few pieces. What does not fit is not stored. */
export type Keeper = ReturnType<typeof createKeeper>

/** Milliseconds until answers are handed on, and their number after which they are at once. */
const DELAY = 250
const MOST = 500

/** Bytes that may wait: nodes answer faster than a slow disk writes. */
const WAITING_BYTES = 32 * 1024 * 1024

/** @param add - stores answers; a failure was reported by it */
export function createKeeper(add: (parts: Part[], used: number[]) => Promise<void>) {
  let parts: Part[] = []
  let used = new Set<number>()
  let bytes = 0
  let timer: NodeJS.Timeout | undefined
  let adding: Promise<void> | undefined

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (adding) return adding
    if (parts.length === 0 && used.size === 0) return Promise.resolve()
    const [given, givenUsed] = [parts, [...used]]
    ;[parts, used] = [[], new Set()]
    adding = add(given, givenUsed)
      .catch(() => {})
      .finally(() => {
        for (const part of given) bytes -= sizeOf(part)
        adding = undefined
        if (parts.length > 0 || used.size > 0) start()
      })
    return adding
  }

  function start(): void {
    if (parts.length >= MOST) void flush()
    else timer ??= setTimeout(() => void flush(), DELAY).unref()
  }

  return {
    keep(part: Part): void {
      if (bytes + sizeOf(part) > WAITING_BYTES) return
      bytes += sizeOf(part)
      parts.push(part)
      start()
    },
    /** Notes that a block was read. */
    use(number: number): void {
      if (used.size < MOST) used.add(number)
      start()
    },
    /** Hands on the rest. */
    async end() {
      await adding
      await flush()
    },
  }
}

const sizeOf = ({ bytes, text }: Part): number => (bytes?.length ?? 0) + (text?.length ?? 0) * 2
