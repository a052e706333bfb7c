import type { Overlay, StateReader } from '../state.ts'
import type { runVm } from '../vm/run.ts'
import type { Frame } from './frame.ts'

/** Watches one transaction or call and says what it did. */
export type Tracer<trace = unknown> = {
  observe: runVm.Observe
  /** The trace. Called once, after the run. */
  result: (run: TracedRun) => trace
}

/** What became of a transaction or call that was traced. */
export type TracedRun = {
  /** The state before it. */
  before: StateReader
  /** The state after it; its changes are those of the run. */
  after: Overlay
  /** The transfer that a transaction outside the EVM is. */
  plain: Frame
  gasUsed: bigint
  failed: boolean
  /** Return data; revert data of a revert; else empty. */
  output: Uint8Array
  /** Whom contracts saw as the producer. */
  producer: string
}
