import type { BroadcastResult } from '../../native/wire/accountTypes.ts'
import type { Refusal } from '../../sending/submission.ts'

/** Which nodes the calls of a client were sent to, and which of them refused its transaction. */
export type AskedNodes = {
  /** A call to a node begins. @param caller - the signal of the client, see `SendOptions` */
  note(caller: object | undefined, upstream: string): void
  /**
   * Names of the nodes that a client's calls were sent to since a time. Calls of a batch, or of a WebSocket, that run at the same
   * time have one signal: each gets the names of all of them.
   */
  since(caller: object, start: number): string[]
  /** A node refused the transaction of a client. */
  refused(caller: object | undefined, upstream: string, answer: BroadcastResult): void
  /** The nodes that refused the transaction of a client, in the order in which they did. */
  refusals(caller: object): Refusal[]
}

/** The nodes that a client's calls were sent to, each with the time of the last call. */
type Asked = Map<string, number>

/** Uses the client's signal as the key. An asynchronous context would be exact, but slows every promise down on Node 20. */
export function createAskedNodes({
  now = () => performance.now(),
}: createAskedNodes.Options = {}): AskedNodes {
  const byCaller = new WeakMap<object, Asked>()
  const refusals = new WeakMap<object, Refusal[]>()
  return {
    note(caller, upstream) {
      if (!caller) return
      let asked = byCaller.get(caller)
      if (!asked) byCaller.set(caller, (asked = new Map()))
      asked.set(upstream, now())
    },
    since(caller, start) {
      const asked = [...(byCaller.get(caller) ?? [])]
      return asked.filter(([, time]) => time >= start).map(([upstream]) => upstream)
    },
    refused(caller, node, answer) {
      if (!caller) return
      // A node that was asked again has given its last answer now.
      const others = (refusals.get(caller) ?? []).filter((other) => other.node !== node)
      refusals.set(caller, [...others, { answer, node }])
    },
    refusals: (caller) => refusals.get(caller) ?? [],
  }
}

export declare namespace createAskedNodes {
  type Options = {
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
  }
}
