import type { LogOrigin } from '../blocks/chainTypes.ts'

/** Sorts origins by block and joins neighbours of the same source. */
export function joinOrigins(origins: readonly LogOrigin[]): LogOrigin[] {
  const joined: LogOrigin[] = []
  for (const { from, source, to } of origins.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last && last.source === source && last.to + 1 >= from) last.to = Math.max(last.to, to)
    else joined.push({ from, to, source })
  }
  return joined
}

/** Whether no block rests on the node's own search alone. */
export function isComplete(origins: readonly LogOrigin[]): boolean {
  return origins.every(({ source }) => source !== 'nodeSearch')
}
