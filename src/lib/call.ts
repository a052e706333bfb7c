import type { StopSignal } from './stopSignal.ts'

/**
 * Work for somebody: who asks, what it costs, and when to stop. HTTP and WebSocket make one for each request. Methods pass it on to
 * whatever may ask a node. Work of the gateway itself has a signal at most.
 */
export type Call = {
  /** Aborted when nobody waits for the work any more. */
  readonly signal?: StopSignal | undefined
  /** Whose turn it is when several wait, and the share of the time that it gets. */
  readonly caller?: Asker | undefined
  readonly meter?: Meter | undefined
  /** Calls with the same group go to one node, such as those of a JSON-RPC batch. */
  readonly group?: object | undefined
  /** Which nodes were asked. */
  readonly asked?: AskedNodes | undefined
}

/** Who asks, as far as turns depend on it. */
type Asker = {
  readonly id: string
  readonly limits: { readonly weight?: number | undefined }
}

/** What calls made the nodes do. */
export type Meter = {
  /** Units that were not charged yet. */
  cost: number
  /** Units that the calls so far have cost. */
  charged: number
}

/** The names of the nodes that work was sent to, and those that refused its transaction. */
export type AskedNodes = {
  names: Set<string> | undefined
  refusals: readonly { readonly node: string; readonly answer: object }[]
}

/** Creates an empty record of asked nodes. */
export function createAskedNodes(): AskedNodes {
  return { names: undefined, refusals: [] }
}

/** A part of a call, or what calls share, with a signal of its own. It counts for the same caller. */
export function withSignal(
  { asked, caller, group, meter }: Call = {},
  signal: StopSignal | undefined,
): Call {
  return { asked, caller, group, meter, signal }
}
