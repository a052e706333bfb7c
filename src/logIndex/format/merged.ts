/**
 * The value of a posting in a merged segment: byte 0 and the list. For a long list: byte 1 and a bit for each part of 1,024
 * blocks that has a list of its own. So a search in a few blocks does not read a list of many megabytes.
 */

/** A list of this many bytes or more is kept in parts. */
export const LONG_LIST = 4 * 1024

/** Parts of a merged segment. */
const PARTS = 64

/** The value of a list that is not in parts. */
export function mergedList(list: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0]), list])
}

/** The value of a list in parts. @param parts - those that have a list of their own */
export function partedList(parts: Iterable<number>): Buffer {
  const value = Buffer.alloc(1 + PARTS / 8)
  value[0] = 1
  for (const part of parts) {
    const at = 1 + (part >> 3)
    value[at] = (value[at] ?? 0) | (1 << (part & 7))
  }
  return value
}

/** Whether a value is that of a list in parts. */
export function isParted(value: Buffer): boolean {
  return value[0] === 1
}

/** The list of a value that is not in parts. */
export function listOf(value: Buffer): Buffer {
  return value.subarray(1)
}

/** Parts, counted from the beginning of the segment, that have some of a long list. */
export function partsOf(value: Buffer): Set<number> {
  const parts = new Set<number>()
  for (let part = 0; part < PARTS; part++)
    if (((value[1 + (part >> 3)] ?? 0) >> (part & 7)) & 1) parts.add(part)
  return parts
}
