import type { ChainBlock } from '../blocks/block.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { StateReader } from '../state/state.ts'
import type { NodeError, Params } from './request.ts'

/** One request of the native interface with its data sources. */
export type Call = {
  params: Params
  ledger: Ledger
  /** Newest block of the prefix: the head, or on /walletsolidity the solidified block. */
  newest: ChainBlock
  /** On /wallet the newest state with the pool; on /walletsolidity the state after `newest`. */
  state: StateReader
  solid: boolean
  /** Whether blocks are printed with zeros instead of their signatures. */
  isUnsigned: boolean
  /** Sends a signed transaction. With automine it is in a block when this resolves. */
  submit: (transaction: Parameters<Ledger['offer']>[0]) => Promise<void>
  /** Called with what contracts print in a constant call. */
  onPrinted: (printed: readonly Uint8Array[]) => void
  /** The chain's clock, milliseconds. */
  now: () => number
}

/** An operation of the native interface. */
export type Operation = {
  /** The prefix that serves it. @default both */
  prefix?: 'wallet' | 'both'
  /** The answer to GET: the same as to POST, an empty body, or 405. @default 'answer' */
  get?: 'answer' | 'empty' | 'refuse'
  /** Whether the body must be JSON. Other operations accept forms too. @default false */
  strict?: boolean
  /** Whether POST ignores the body and reads the query. @default false */
  ignoresBody?: boolean
  /** The answer to an unreadable body; undefined for an empty body. @default an error body */
  unreadable?: (error: NodeError) => unknown
  /** Whether a result is the same value as its JSON text read again: a client in this process then takes it as it is. @default false */
  isPlain?: boolean
  run: (call: Call) => unknown
}

/** Operations by the last part of their path, in lower case. */
export type Operations = Readonly<Record<string, Operation>>
