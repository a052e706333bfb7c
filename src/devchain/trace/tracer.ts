import type { Overlay, StateReader } from '../state.ts'
import type { runVm } from '../vm/run.ts'
import type { Frame } from './frame.ts'

/** Observes one transaction or call and makes a trace of it. */
export type Tracer<trace = unknown> = {
  observe: runVm.Observe
  /** The trace. Called once, after the run. */
  result: (run: TracedRun) => trace
}

/** The outcome of a traced transaction or call. */
export type TracedRun = {
  /** The state before it. */
  before: StateReader
  /** The state after it; its changes are those of the run. */
  after: Overlay
  /** The frame of a transaction outside the EVM: a transfer. */
  plain: Frame
  gasUsed: bigint
  failed: boolean
  /** Return data; revert data of a revert; else empty. */
  output: Uint8Array
  /** The producer that contracts saw. */
  producer: string
}
