import type { Overlay, StateReader } from '../state/state.ts'
import type { runVm } from '../vm/run.ts'
import type { Frame } from './frame.ts'

/** Observes one transaction or call and builds its trace. */
export type Tracer<trace = unknown> = {
  observe: runVm.Observe
  /** Returns the trace. Called once, after the run. */
  result: (run: TracedRun) => trace
}

/** The outcome of a traced transaction or call. */
export type TracedRun = {
  /** The state before the run. */
  before: StateReader
  /** The state after the run, with its changes. */
  after: Overlay
  /** The frame of a transaction outside the EVM, as a transfer. */
  plain: Frame
  /** The gas limit with the schedule of a hardfork, where the EVM's frame begins after the intrinsic gas. */
  gas?: bigint
  gasUsed: bigint
  failed: boolean
  /** Return data, or revert data of a revert, otherwise empty. */
  output: Uint8Array
  /** The producer that contracts see. */
  producer: string
}
