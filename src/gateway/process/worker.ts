import cluster from 'node:cluster'

import type { Config } from '../../config/config.ts'
import type { WorkerState } from '../../http/health.ts'
import type { Workers } from '../gateway.ts'
import type { WorkerMetrics } from '../metrics.ts'
import {
  BEAT,
  type ToPrimary,
  type ToWorker,
  WORKER_NUMBER,
  WORKER_SHARE,
} from './workerMessages.ts'

/** Connects a worker to its primary process; undefined in a process that is no worker. */
export function connectWorker({
  onReload,
  onStop,
}: {
  onReload: () => void
  onStop: (reason: string) => void
}) {
  if (!cluster.isWorker) return undefined
  let states: WorkerState[] = []
  let collect: (() => Promise<WorkerMetrics>) | undefined
  let share = Number(process.env[WORKER_SHARE])
  let quota = () => 0
  const waiting = new Map<number, (text: string) => void>()
  let requests = 0

  // The channel closes when the primary process ends.
  const send = (message: ToPrimary) => void (process.connected && process.send?.(message))
  const beat = () => send({ kind: 'beat', share, used: share * quota() })
  setInterval(beat, BEAT).unref()
  beat()

  process.on('disconnect', () => onStop('the primary process has ended'))
  process.on('message', (message: ToWorker) => {
    if (message.kind === 'workers') states = message.workers
    else if (message.kind === 'stop') onStop(message.reason)
    else if (message.kind === 'reload') onReload()
    else if (message.kind === 'share') share = message.share
    else if (message.kind === 'collect')
      void collect?.().then((metrics) => send({ kind: 'collected', id: message.id, metrics }))
    else if (message.kind === 'metrics') {
      waiting.get(message.id)?.(message.text)
      waiting.delete(message.id)
    }
  })

  const workers: Workers = {
    states: () => states,
    metrics: () =>
      new Promise((resolve) => {
        const id = ++requests
        waiting.set(id, resolve)
        send({ kind: 'metrics', id })
      }),
    onCollect(listener) {
      collect = listener
    },
    share: () => share,
    onBeat(listener) {
      quota = listener
    },
  }
  return {
    ...workers,
    /** 1, 2, … */
    number: Number(process.env[WORKER_NUMBER]),
    /** Says that this worker listens. */
    ready: () => send({ kind: 'ready' }),
    /** Closes the connection of a worker that could not start. It would keep the process running. */
    close() {
      process.removeAllListeners('disconnect')
      process.disconnect()
    },
  }
}

/**
 * The configuration of one of several workers: sockets and concurrency of nodes and the caches are of the whole machine.
 * The rates of nodes are divided anew each second, see `sharesOf`.
 */
export function partOf(config: Config): Config {
  const { workers } = config
  if (workers === 1) return config
  const part = (whole: number) => Math.max(1, Math.floor(whole / workers))
  return {
    ...config,
    cacheBytes: Math.floor(config.cacheBytes / workers),
    indexRate: part(config.indexRate),
    logsConcurrency: part(config.logsConcurrency),
    heldBytes: part(config.heldBytes),
    unsentBytes: part(config.unsentBytes),
    upstreamSockets: part(config.upstreamSockets),
    wsConnections: Math.ceil(config.wsConnections / workers),
    ...(config.upstreams && {
      upstreams: config.upstreams.map((upstream) => ({
        ...upstream,
        concurrency: part(upstream.concurrency),
      })),
    }),
  }
}
