import type { Config } from '../../config/config.ts'
import { originOf } from '../../config/upstreamList.ts'
import type { Health, HealthReader, WorkerState } from '../../http/health.ts'
import type { Gauges } from '../../http/page/traffic.ts'
import { VERSION } from '../../lib/version.ts'
import { stateInWords } from '../../native/pool/memberState.ts'
import type { MemberStatus } from '../../native/pool/memberStatus.ts'
import type { Upstream } from '../../native/upstream.ts'
import type { Services } from './services.ts'

/** Ten missed blocks of 3 s, in milliseconds. */
const STALE = 30_000

/** Covered ranges of the log index that `/health` shows. There are few unless filling was interrupted often. */
const SHOWN_RANGES = 20

/** The gateway's health, from the state of its parts; makes no upstream call. */
export function healthOf({
  config,
  draining,
  node,
  now = () => performance.now(),
  problems,
  reader,
  services,
  started,
  upstreams: nodes,
  waiting,
  workers,
}: healthOf.Options): Health {
  const isOperator = reader === 'operator'
  const upstreams = isOperator
    ? nodes
    : nodes?.map((status) => ({ ...status, name: status.clientName }))
  const head = services?.head.status()
  const upstream = head?.upstream ?? (waiting === undefined ? 'unknown' : 'down')
  const redis = config.redis === undefined ? 'none' : (services?.redis?.status() ?? 'unknown')
  const reasons: string[] = []
  // What the gateway waits for names the nodes and their reasons.
  if (waiting !== undefined) reasons.push(`waiting for the node: ${waiting}`)
  else
    for (const { name, reason, state } of upstreams ?? [])
      if (state !== 'healthy' && state !== 'starting')
        reasons.push(`upstream ${name} is ${stateInWords(state)}: ${reason}`)
  if (upstream === 'unknown' && waiting === undefined) reasons.push('the node has not answered yet')
  if (upstream === 'down' && reasons.length === 0) reasons.push('the last poll of the node failed')
  // A chain in this process may produce blocks only on request.
  if (upstreams && head?.age !== undefined && head.age > STALE)
    reasons.push(`the head has not moved for ${seconds(head.age)} s`)
  if (head?.problem !== undefined) reasons.push(head.problem)
  const redisProblem = services?.redis?.problem()
  if (redisProblem !== undefined) reasons.push(`${redisProblem}: new filters fail, polls may fail`)
  for (const problem of [services?.sentProblem(), services?.cursorProblem()])
    if (problem !== undefined) reasons.push(problem)
  const filters = services?.filterUsage() ?? { bytes: 0, filters: 0, isFull: false }
  if (filters.isFull)
    reasons.push(
      `the filter store is full, new filters are rejected: ${filters.filters} of ${config.filtersTotal} filters, ${filters.bytes} of ${config.filterBytesTotal} bytes`,
    )
  const index = services?.index?.status()
  if (index?.problem !== undefined) reasons.push(`the log index: ${index.problem}`)
  const store = services?.store?.status()
  if (store?.problem !== undefined)
    reasons.push(
      `the store of blocks does not work, nodes answer instead${isOperator ? `: ${store.problem}` : ''}`,
    )
  for (const { number, state } of workers ?? [])
    if (state !== 'running')
      reasons.push(
        `worker ${number} has ${state === 'ended' ? 'ended and is started again' : 'not started yet'}`,
      )
  reasons.push(...problems.filter((problem) => problem !== undefined))
  const serving = head?.number !== undefined

  return {
    status: statusOf({ draining, reasons, serving, upstream }),
    // A chain in this process may produce blocks only on request.
    ready:
      serving && upstream !== 'down' && !draining && !(upstreams !== undefined && head.isStalled),
    reasons,
    version: VERSION,
    ...(services && { chainId: `0x${services.chainId.toString(16)}` }),
    upstream: {
      state: upstream,
      solidity: node && isOperator ? originOf(node.solidity) : null,
      wallet: node && isOperator ? originOf(node.wallet) : null,
    },
    ...(upstreams && { upstreams }),
    head: {
      role: head?.role ?? 'standalone',
      number: head?.number ?? null,
      solid: head?.solid ?? null,
      age: head?.age === undefined ? null : seconds(head.age),
    },
    redis,
    filters: { count: filters.filters, bytes: filters.bytes },
    ...(index && {
      index: {
        state: index.state,
        covered: index.covered.slice(-SHOWN_RANGES),
        accounts: index.accounts.slice(-SHOWN_RANGES),
        logs: index.logs,
        bytes: index.bytes,
      },
    }),
    ...(store && {
      store: {
        state: store.isUp ? 'up' : store.problem === undefined ? 'starting' : 'failed',
        blocks: store.blocks,
        bytes: store.bytes,
      },
    }),
    ...(workers && { workers }),
    uptime: seconds(now() - started),
  }
}

export declare namespace healthOf {
  type Options = {
    config: Config
    draining: boolean
    /** The first of the nodes; absent for a chain in this process. */
    node?: Pick<Upstream, 'solidity' | 'wallet'> | undefined
    /** Milliseconds. @default performance.now */
    now?: () => number
    /** Other problems. */
    problems: (string | undefined)[]
    /** Clients see no addresses of nodes. */
    reader: HealthReader
    /** Absent until the node has answered. */
    services: Services | undefined
    /** Time at which the gateway was created, by the same clock. */
    started: number
    /** The nodes; absent for a chain in this process. */
    upstreams?: MemberStatus[] | undefined
    /** Why the gateway waits for the node. */
    waiting: string | undefined
    /** All workers of the machine; absent without workers. */
    workers?: WorkerState[] | undefined
  }
}

function statusOf(state: {
  draining: boolean
  reasons: readonly string[]
  serving: boolean
  upstream: Health['upstream']['state']
}): Health['status'] {
  if (state.draining) return 'draining'
  if (!state.serving) return state.upstream === 'down' ? 'down' : 'starting'
  if (state.upstream === 'down') return 'down'
  return state.reasons.length === 0 ? 'ok' : 'degraded'
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10
}

/** Values of the state page other than calls, by label. */
export function figuresOf(
  { filters, head }: Health,
  services: Services | undefined,
  sockets: number,
): Gauges {
  const { hits, misses } = services?.blocks.usage() ?? { hits: 0, misses: 0 }
  const reads = hits + misses
  return {
    'Cache hits, % of all': reads === 0 ? undefined : (100 * hits) / reads,
    Filters: filters.count,
    WebSockets: sockets,
    'Head age, s': head.age ?? undefined,
  }
}
