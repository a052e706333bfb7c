/** One node that the gateway asks, as the operator described it. */
export type Upstream = {
  /** Unique; appears in logs, /health and metrics. */
  name: string
  /** Its name for clients, who must not learn its address. @default name */
  clientName?: string | undefined
  /** Base address of `/wallet`. */
  wallet: string
  /** Base address of `/walletsolidity`. */
  solidity: string
  /** The node's own JSON-RPC, path included: for contract storage, the hints of log searches, simulation and comparison. */
  rpc?: string | undefined
  /** Whether `rpc` was guessed from `wallet`. It is used once its blocks were those of the HTTP API. */
  isRpcGuessed?: boolean | undefined
  /** Its gRPC interface: `http://HOST:PORT`, or `https://HOST:PORT` for TLS. */
  grpc?: string | undefined
  /** Whether `grpc` was guessed from `wallet`. It is used once its blocks were the same as over HTTP. */
  isGrpcGuessed?: boolean | undefined
  /** Sent with every call. May hold API keys: never logged. */
  headers: Readonly<Record<string, string>>
  /** Share of the calls among the nodes of one tier; twice the weight, twice the calls. */
  weight: number
  /** Nodes of the lowest tier are asked first; those of a higher one only when none below can answer. */
  tier: number
  /**
   * Calls a second that the node allows. Absent: the default of a node (see `ENDPOINT_RATE`). `unlimited`: no limit.
   */
  rate?: number | 'unlimited' | undefined
  /** Largest number of calls in flight. */
  concurrency: number
  /** Milliseconds for one call. */
  timeout: number
}

/** Whether two descriptions are of one node with the same settings. */
export function isSameUpstream(left: Upstream, right: Upstream): boolean {
  return JSON.stringify(left) === JSON.stringify(right)
}

/** The name of a node in errors and answers that any client gets. */
export function clientNameOf({ clientName, name }: Pick<Upstream, 'clientName' | 'name'>): string {
  return clientName ?? name
}

/** The name for clients of a node that the operator has not named. @param index - from 0 */
export function numberedName(index: number): string {
  return `node ${index + 1}`
}

/** A node as shipped answers 1,000 calls a second per operation and lets the rest wait; this stays below it. */
export const ENDPOINT_RATE = 900

/** Sockets that a node port accepts safely. */
export const MAX_CONCURRENCY = 40
