/** The used part of an abort signal. Creating a whole AbortSignal takes longer than many of the calls that need one. */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: StopListener, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: StopListener): void
}

/** A function, or an object as `EventTarget` takes it. */
export type StopListener = (() => void) | { handleEvent(event: StopEvent): void }

/** What a listener gets. */
export type StopEvent = { readonly target: unknown }

/**
 * Work for somebody: who asks, what it costs, and when to stop. HTTP and WebSocket make one for each request. Methods pass it on to
 * whatever may ask a node. Work of the gateway itself is a signal without the rest.
 */
export type Call = StopSignal & {
  /** Whose turn it is when several wait. */
  readonly caller?: { readonly id: string; readonly weight: number } | undefined
  readonly meter?: Meter | undefined
  /** Calls with the same group go to one node, such as those of a JSON-RPC batch. */
  readonly group?: object | undefined
  /** Which nodes were asked. */
  readonly asked?: AskedNodes | undefined
}

/** What calls made the nodes do. */
export type Meter = {
  /** Units that were not charged yet. */
  cost: number
  /** Units that the calls so far have cost. */
  charged: number
}

/** The nodes that work was sent to, each with the time of the last call, and those that refused its transaction. */
export type AskedNodes = {
  readonly times: Map<string, number>
  refusals: readonly { readonly node: string; readonly answer: object }[]
}

/** Creates an empty record of asked nodes. */
export function createAskedNodes(): AskedNodes {
  return { times: new Map(), refusals: [] }
}
