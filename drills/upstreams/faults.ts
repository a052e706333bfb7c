import type { Fault } from '../../test/support/faultProxy.ts'

/** A fault of a node: one of the proxy's faults, a head that stops, or another chain. */
export type NodeFault =
  | Exclude<Fault, { kind: 'target' }>
  | { kind: 'stuck'; blocks: number }
  | { kind: 'otherChain' }

/** A message to the process of the nodes. */
export type NodesCommand = { fail?: { index: number; fault: NodeFault }; heal?: number }

/** The ways in which one of two nodes fails, by the name on the command line. */
export const faults: Record<string, NodeFault> = {
  refused: { kind: 'refused' },
  reset: { kind: 'reset' },
  hang: { kind: 'hang' },
  latency: { kind: 'latency', ms: 5_000 },
  http500: { kind: 'status', status: 500 },
  http429: { kind: 'status', status: 429 },
  rateLimit: { kind: 'rateLimit' },
  html: { kind: 'html' },
  truncated: { kind: 'truncated' },
  empty: { kind: 'empty' },
  stuck: { kind: 'stuck', blocks: 20 },
  otherChain: { kind: 'otherChain' },
}
