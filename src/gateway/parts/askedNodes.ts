/** Which nodes the calls of a client were sent to, for the log. */
export type AskedNodes = {
  /** A call to a node begins. @param caller - the signal of the client, see `SendOptions` */
  note(caller: object | undefined, upstream: string): void
  /**
   * Names of the nodes that a client's calls were sent to since a time. Calls of a batch, or of a WebSocket, that run at the same
   * time have one signal: each gets the names of all of them.
   */
  since(caller: object, milliseconds: number): string[]
}

/** The nodes that a client's calls were sent to, each with the time of the last call. */
type Asked = Map<string, number>

/** Uses the client's signal as the key. An asynchronous context would be exact, but slows every promise down on Node 20. */
export function createAskedNodes({
  now = () => performance.now(),
}: createAskedNodes.Options = {}): AskedNodes {
  const byCaller = new WeakMap<object, Asked>()
  return {
    note(caller, upstream) {
      if (!caller) return
      let asked = byCaller.get(caller)
      if (!asked) byCaller.set(caller, (asked = new Map()))
      asked.set(upstream, now())
    },
    since(caller, milliseconds) {
      const asked = [...(byCaller.get(caller) ?? [])]
      return asked.filter(([, time]) => time >= milliseconds).map(([upstream]) => upstream)
    },
  }
}

export declare namespace createAskedNodes {
  type Options = {
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}
