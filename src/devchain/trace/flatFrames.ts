import { createFrameTracer, type FrameTracer } from './callTracer.ts'
import type { Frame } from './frame.ts'

/** The frames of a run without calls of precompiled contracts, which Parity's traces omit. */
export function createCallFrames(): FrameTracer {
  const { observe, result } = createFrameTracer()
  return { observe, result: (run) => withoutBuiltIns(result(run)) }
}

function withoutBuiltIns(frame: Frame): Frame {
  const calls = frame.calls
    .filter(({ isBuiltIn, kind }) => !isBuiltIn || (kind !== 'CALL' && kind !== 'STATICCALL'))
    .map(withoutBuiltIns)
  return { ...frame, calls }
}
