import { createFrameTracer } from './callTracer.ts'
import type { Frame } from './frame.ts'
import type { Tracer } from './tracer.ts'

/** Geth's `4byteTracer`: the number of calls by function selector and size of the arguments. */
export function createFourByteTracer(): Tracer {
  const frames = createFrameTracer()
  return {
    observe: frames.observe,
    result(run) {
      const counts: Record<string, number> = {}
      count(frames.result(run), counts)
      return counts
    },
  }
}

function count({ calls, input, isBuiltIn, kind }: Frame, counts: Record<string, number>): void {
  const isCall = !kind.startsWith('CREATE') && kind !== 'SELFDESTRUCT'
  if (isCall && !isBuiltIn && input.length >= 4) {
    const name = `0x${Buffer.from(input.subarray(0, 4)).toString('hex')}-${input.length - 4}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  for (const call of calls) count(call, counts)
}
