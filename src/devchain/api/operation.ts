import type { ChainBlock } from '../block.ts'
import type { Ledger } from '../ledger.ts'
import type { StateReader } from '../state.ts'
import type { NodeError, Params } from './request.ts'

/** One request of the native interface, with what it may look at. */
export type Call = {
  params: Params
  ledger: Ledger
  /** Newest block of this prefix: the head, or on /walletsolidity the solidified one. */
  newest: ChainBlock
  /** On /wallet the newest state with the pool on top; on /walletsolidity the state of `newest`. */
  state: StateReader
  solid: boolean
  /** Whether blocks are printed without their signatures. */
  isUnsigned: boolean
  /** Takes a signed transaction; blocks are made as the chain is set up. */
  submit: (transaction: Parameters<Ledger['offer']>[0]) => Promise<void>
  /** Milliseconds of the chain's own clock. */
  now: () => number
}

/** An operation of the native interface. */
export type Operation = {
  /** Where it is served. @default both */
  prefix?: 'wallet' | 'both'
  /** What GET does: answer as POST does, nothing (empty body), or refuse with 405. @default 'answer' */
  get?: 'answer' | 'empty' | 'refuse'
  /** Whether the body must be JSON; others take forms too. @default false */
  strict?: boolean
  /** Whether a POST body is not looked at; only the query is. @default false */
  ignoresBody?: boolean
  /** What a body that cannot be read is answered with; undefined for nothing at all. @default an error body */
  unreadable?: (error: NodeError) => unknown
  run: (call: Call) => unknown
}

export type Operations = Readonly<Record<string, Operation>>
