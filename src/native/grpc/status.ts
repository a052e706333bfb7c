/** The state of a node's gRPC interface, for `/health` and the metrics. */
export type GrpcStatus = {
  /** `idle` until the first call, `down` while calls go over HTTP because it fails. */
  state: 'idle' | 'up' | 'down'
  /** Why it is down. */
  reason?: string | undefined
  /** Number of calls since the start. */
  calls: number
  failed: number
}
