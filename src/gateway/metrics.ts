import {
  type Aggregator,
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'

import type { Health } from '../http/health.ts'
import { createCallDurations } from './callDurations.ts'

/** All metrics of one process, as the library adds them up. */
export type WorkerMetrics = MetricObjectWithValues<MetricValue<string>>[]

/** The state of the store of blocks. */
export type StoreStatus = {
  blocks: number
  bytes: number
  damaged: number
  isUp: boolean
  /** Why it does not work, as text. It may name a folder or a host. */
  problem?: string | undefined
}

/** Every metric of a gateway. Names end in their unit; time is in seconds. */
export type Metrics = ReturnType<typeof createMetrics>

/** Metrics of one gateway, in a separate registry, because a process may have several gateways. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  /** @param aggregator - how the values of several workers become one */
  const gauge = <label extends string = never>(
    name: string,
    help: string,
    aggregator: Aggregator = 'sum',
    labelNames: label[] = [],
  ) => new Gauge({ aggregator, name, help, labelNames, registers })
  const counter = <label extends string>(name: string, help: string, labelNames: label[]) =>
    new Counter({ name, help, labelNames, registers })
  const histogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name, help, buckets, registers })

  const calls = createCallDurations({
    name: 'ethgate_rpc_call_duration_seconds',
    help: 'Duration of JSON-RPC calls, by method',
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    labels: ['method'],
    registry,
  })
  const errors = counter('ethgate_rpc_errors_total', 'Failed JSON-RPC calls, by method and code', [
    'method',
    'code',
  ])
  const upstream = createCallDurations({
    name: 'ethgate_upstream_call_duration_seconds',
    help: 'Duration of upstream calls, by operation and outcome, and by node if there are several',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10],
    labels: ['operation', 'outcome', 'upstream'],
    registry,
  })
  const loopDelay = histogram(
    'ethgate_event_loop_delay_seconds',
    'Delay of the event loop, measured every 50 ms',
    [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
  )
  const extras = counter(
    'ethgate_upstream_extra_calls_total',
    'Additional upstream calls for the same request (retries and hedges), by reason',
    ['reason'],
  )
  const nodeGauge = (name: string, help: string, aggregator: Aggregator) =>
    gauge(name, help, aggregator, ['upstream'])
  const ofUpstream = {
    state: gauge('ethgate_upstream_state', '1 for the current state of a node', 'max', [
      'upstream',
      'state',
    ]),
    head: nodeGauge('ethgate_upstream_head_block_number', 'Newest block of a node', 'max'),
    lag: nodeGauge('ethgate_upstream_lag_blocks', 'Blocks behind the highest node', 'max'),
    share: nodeGauge('ethgate_upstream_share_ratio', 'Share of all upstream calls', 'average'),
    quota: nodeGauge('ethgate_upstream_quota_ratio', 'Share of the allowed rate in use', 'average'),
    inFlight: nodeGauge('ethgate_upstream_calls_in_flight', 'Calls to a node in flight', 'sum'),
    queued: nodeGauge('ethgate_upstream_calls_queued', 'Calls that queue for a node', 'sum'),
    grpc: nodeGauge(
      'ethgate_upstream_grpc_up',
      '1 when the gRPC interface of a node is used; 0 while HTTP is used because it fails; absent without one',
      'min',
    ),
  }

  const cacheBytes = gauge('ethgate_block_cache_bytes', 'Memory of the block cache')
  const cacheReads = counter(
    'ethgate_block_cache_reads_total',
    'Blocks read by calls, by outcome: hit (in memory) or miss (read from a node)',
    ['outcome'],
  )
  const seen = { hits: 0, misses: 0 }
  const storeReads = counter(
    'ethgate_store_reads_total',
    'Reads of final blocks and transactions, by outcome: hit (in the store) or miss (read from a node)',
    ['outcome'],
  )
  const storeBlocks = gauge('ethgate_store_blocks', 'Blocks in the store', 'max')
  const storeBytes = gauge('ethgate_store_bytes', 'Size of the store of blocks', 'max')
  const storeDamaged = gauge('ethgate_store_damaged_reads', 'Reads that found a damaged block')
  const storeUp = gauge(
    'ethgate_store_up',
    '1 when the store of blocks answers; 0 also without one',
    'min',
  )
  const roles = gauge(
    'ethgate_replica_role',
    '1 for the role of this replica: leader, follower or standalone',
    'max',
    ['role'],
  )
  const reorgs = histogram(
    'ethgate_reorg_depth_blocks',
    'Blocks that a reorg removed',
    [1, 2, 3, 5, 10, 20, 50],
  )

  const headNumber = gauge('ethgate_head_block_number', 'Newest block', 'max')
  const solidNumber = gauge('ethgate_solid_block_number', 'Newest solidified block', 'max')
  const headAge = gauge('ethgate_head_age_seconds', 'Time since the head last changed', 'max')
  const filterCount = gauge('ethgate_filters', 'Filters of all clients', 'max')
  const filterBytes = gauge('ethgate_filter_bytes', 'Memory of the filters of all clients', 'max')
  const upstreamUp = gauge(
    'ethgate_upstream_up',
    '1 when the last poll of the node succeeded',
    'min',
  )
  const indexBlocks = gauge('ethgate_index_blocks', 'Blocks in the log index', 'max')
  const indexLogs = gauge('ethgate_index_logs', 'Logs in the log index', 'max')
  const indexBytes = gauge('ethgate_index_bytes', 'Size of the log index on disk', 'max')
  const indexTop = gauge('ethgate_index_block_number', 'Newest block in the log index', 'max')
  const indexUp = gauge('ethgate_index_up', '1 when the log index works; 0 also without one', 'min')
  const workerRestarts = gauge(
    'ethgate_worker_restarts',
    'How often workers were started again since the start of the primary process; 0 without workers',
    'max',
  )
  const redisUp = gauge(
    'ethgate_redis_up',
    '1 when Redis is connected; 0 also without Redis',
    'min',
  )

  return {
    registry,
    /** One JSON-RPC call; `code` is 0 when it succeeded. */
    call(method: string, code: number, seconds: number) {
      calls.observe(seconds, method)
      if (code !== 0) errors.inc({ method, code })
    },
    /** One call to a node, with its name if there are several. */
    upstreamCall(operation: string, outcome: string, seconds: number, name?: string) {
      if (name === undefined) upstream.observe(seconds, operation, outcome)
      else upstream.observe(seconds, operation, outcome, name)
    },
    /** One additional call for the same request: `failover`, `hedge`, `confirm` or `busy`. */
    upstreamExtra(reason: string) {
      extras.inc({ reason })
    },
    /** The state of `/health` as numbers. */
    health({ filters, head, index, redis, upstream, upstreams = [], workers = [] }: Health) {
      for (const metric of Object.values(ofUpstream)) metric.reset()
      for (const one of upstreams) {
        const labels = { upstream: one.name }
        const { state } = one
        ofUpstream.state.set({ ...labels, state }, 1)
        ofUpstream.head.set(labels, one.head ?? 0)
        ofUpstream.lag.set(labels, one.lag ?? 0)
        ofUpstream.share.set(labels, one.share)
        ofUpstream.quota.set(labels, one.quota ?? 0)
        ofUpstream.inFlight.set(labels, one.inFlight)
        ofUpstream.queued.set(labels, one.queued)
        if (one.grpc) ofUpstream.grpc.set(labels, one.grpc.state === 'down' ? 0 : 1)
      }
      filterCount.set(filters.count)
      filterBytes.set(filters.bytes)
      roles.reset()
      roles.set({ role: head.role }, 1)
      headNumber.set(head.number ?? 0)
      solidNumber.set(head.solid ?? 0)
      headAge.set(head.age ?? 0)
      upstreamUp.set(upstream.state === 'up' ? 1 : 0)
      indexUp.set(index && index.state !== 'failed' ? 1 : 0)
      indexLogs.set(index?.logs ?? 0)
      indexBytes.set(index?.bytes ?? 0)
      indexTop.set(index?.covered.at(-1)?.to ?? 0)
      indexBlocks.set((index?.covered ?? []).reduce((sum, { from, to }) => sum + to - from + 1, 0))
      redisUp.set(redis === 'up' ? 1 : 0)
      workerRestarts.set(workers.reduce((sum, { restarts }) => sum + restarts, 0))
    },
    /** Use of the block cache since the start. */
    blockCache({ bytes, hits, misses }: { bytes: number; hits: number; misses: number }) {
      cacheBytes.set(bytes)
      cacheReads.inc({ outcome: 'hit' }, hits - seen.hits)
      cacheReads.inc({ outcome: 'miss' }, misses - seen.misses)
      Object.assign(seen, { hits, misses })
    },
    /** One read that the store of blocks could answer. */
    storeRead(isHit: boolean) {
      storeReads.inc({ outcome: isHit ? 'hit' : 'miss' })
    },
    /** The state of the store of blocks. */
    store({ blocks, bytes, damaged, isUp }: StoreStatus) {
      storeBlocks.set(blocks)
      storeBytes.set(bytes)
      storeDamaged.set(damaged)
      storeUp.set(isUp ? 1 : 0)
    },
    refused: counter(
      'ethgate_calls_refused_total',
      'Calls refused because their caller has reached a limit, by limit and scope (address, key)',
      ['limit', 'scope'],
    ),
    limitsShared: gauge(
      'ethgate_limits_shared',
      '0 while limits are not counted in Redis, although the gateway has one',
      'min',
    ),
    /** A reorg removed this many blocks. */
    reorg(depth: number) {
      reorgs.observe(depth)
    },
    /** The delay of the event loop, seconds. */
    loopDelay,
    heldBytes: gauge('ethgate_held_bytes', 'Bytes held for clients, by place', 'sum', ['place']),
    unsentBytes: gauge('ethgate_unsent_bytes', 'Unsent bytes of responses'),
    verified: counter(
      'ethgate_verify_comparisons_total',
      'Answers compared with a second source, by method and outcome (match, mismatch, unavailable)',
      ['method', 'outcome'],
    ),
    wsConnections: gauge('ethgate_ws_connections', 'Open WebSocket connections'),
    wsCuts: counter(
      'ethgate_ws_cuts_total',
      'WebSocket connections closed by the gateway, by reason',
      ['reason'],
    ),
  }
}

/** Adds the metrics of the process (memory, event loop), for programs with a single gateway. */
export function collectProcessMetrics({ registry }: Metrics): void {
  collectDefaultMetrics({ register: registry })
}
