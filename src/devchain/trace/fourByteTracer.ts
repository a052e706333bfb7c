import type { Frame } from './frame.ts'

/** The trace of geth's `4byteTracer`: the number of calls by function selector and size of the arguments. */
export function countSelectors(frame: Frame, counts: Record<string, number> = {}) {
  const { calls, input, isBuiltIn, kind } = frame
  const isCall = !kind.startsWith('CREATE') && kind !== 'SELFDESTRUCT'
  if (isCall && !isBuiltIn && input.length >= 4) {
    const name = `0x${Buffer.from(input.subarray(0, 4)).toString('hex')}-${input.length - 4}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  for (const call of calls) countSelectors(call, counts)
  return counts
}
