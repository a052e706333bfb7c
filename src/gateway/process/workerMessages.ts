import type { WorkerState } from '../../http/health.ts'
import type { WorkerMetrics } from '../metrics.ts'

/** What the primary process sends to a worker. */
export type ToWorker =
  | { kind: 'workers'; workers: WorkerState[] }
  | { kind: 'stop'; reason: string }
  | { kind: 'reload' }
  /** The part of the rates of nodes that the worker may use from now on. */
  | { kind: 'share'; share: number }
  /** Asks for the metrics of the worker. */
  | { kind: 'collect'; id: number }
  /** The metrics of all workers, in the text format of Prometheus. */
  | { kind: 'metrics'; id: number; text: string }

/** What a worker sends to the primary process. */
export type ToPrimary =
  /** The event loop runs. `share` is the part of the rates that applies, `used` what the last second used of the whole. */
  | { kind: 'beat'; share: number; used: number }
  /** The worker listens. */
  | { kind: 'ready' }
  | { kind: 'collected'; id: number; metrics: WorkerMetrics }
  /** Asks for the metrics of all workers. */
  | { kind: 'metrics'; id: number }

/** The variable with the number of a worker. */
export const WORKER_NUMBER = 'ETHGATE_WORKER_NUMBER'

/** The variable with the share that a worker starts with. */
export const WORKER_SHARE = 'ETHGATE_WORKER_SHARE'

/** Milliseconds between two beats. */
export const BEAT = 1_000

/** The reason for which a worker stops while its successor listens. */
export const REPLACED = 'replaced'
