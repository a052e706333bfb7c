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
  place: {
    /** The number of its block. */
    number: number
    /** What a unit of gas costs. */
    price: bigint
    /** Of a transaction in a block. Hashes are hex without `0x`. */
    blockHash?: string
    transaction?: { hash: string; index: number }
  }
}

/** The trace exceeded its time limit. */
export class TraceTimeoutError extends Error {
  override name = 'TraceTimeoutError'
}
