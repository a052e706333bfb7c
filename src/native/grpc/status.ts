/** The gRPC interface of a node as `/health` and the metrics show it. */
export type GrpcStatus = {
  /** `idle` until the first call, `down` while calls go over HTTP because it fails. */
  state: 'idle' | 'up' | 'down'
  /** Why it is down. */
  reason?: string | undefined
  /** Since the start. */
  calls: number
  failed: number
}
