import type { MemberStatus } from '../native/pool/memberStatus.ts'

/** For whom the health is written: clients of the public port see no addresses of nodes. */
export type HealthReader = 'client' | 'operator'

/** What is known of the reader of a page. */
export type Seen = { isOperator?: boolean }

/** The content of `/health`; `/ready` and the page use it too. */
export type Health = {
  /**
   * `starting` until the upstream has answered once, `down` while it is unreachable, `draining` after SIGTERM,
   * `degraded` while something is wrong that does not stop reads (see `reasons`).
   */
  status: 'starting' | 'ok' | 'degraded' | 'down' | 'draining'
  /** Whether a load balancer should send requests here. */
  ready: boolean
  /** Why the state is not `ok`, in readable text. */
  reasons: string[]
  version: string
  /** As hex; absent until the upstream has answered. */
  chainId?: string
  /** Origins only, because a path may contain an API key; null for clients. */
  upstream: { state: 'up' | 'down' | 'unknown'; wallet: string | null; solidity: string | null }
  /** Each node with its state and figures. Absent for a chain in this process. */
  upstreams?: MemberStatus[]
  head: {
    role: 'leader' | 'follower' | 'standalone'
    number: number | null
    solid: number | null
    /** Seconds since the head last moved. */
    age: number | null
  }
  /** `none`: no Redis is configured; `unknown`: it is asked when the node has answered, because its keys have the chain id. */
  redis: 'none' | 'unknown' | 'up' | 'refusing' | 'down'
  /** Number and memory of the filters of all clients, as known to this process. */
  filters: { count: number; bytes: number }
  /** The log index; absent without one. */
  index?: {
    state: 'starting' | 'filling' | 'following' | 'failed'
    /** Ranges of blocks that are complete, in order; the newest 20 of them. */
    covered: { from: number; to: number }[]
    /** The newest ranges with accounts. */
    accounts: { from: number; to: number }[]
    logs: number
    bytes: number
  }
  /** The store of final blocks; absent without one. */
  store?: { state: 'starting' | 'up' | 'failed'; blocks: number; bytes: number }
  /** All workers of the machine, this one among them; absent without `--workers`. */
  workers?: WorkerState[]
  /** Seconds. */
  uptime: number
}

/** One process of several that share a port. */
export type WorkerState = {
  /** 1, 2, … */
  number: number
  pid: number
  state: 'starting' | 'running' | 'ended'
  /** How often it was started again. */
  restarts: number
}
