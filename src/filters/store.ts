import { RpcError } from '../errors.ts'

/** What a filter watches. */
export type FilterSpec = {
  view: 'full' | 'solid'
} & (
  | {
      kind: 'logs'
      addresses: string[]
      topics: (string[] | null)[]
      /** Blocks whose logs are delivered by polls; open where absent. */
      from?: number
      to?: number
      /** Where `eth_getFilterLogs` starts. */
      scanFrom: number
    }
  | { kind: 'blocks' }
  | { kind: 'pending' }
)

/** A filter: its query, and how far its client has been served. */
export type StoredFilter = {
  spec: FilterSpec
  /** `number:hash` of the last block delivered, or the position in the pool's feed. Opaque to the store. */
  cursor: string
}

/**
 * - `taken`: the page from the cursor is yours until it is moved, released, or the lease runs out.
 * - `idle`: the cursor is where you said there is nothing to deliver; no lease.
 * - `busy`: another poll has the page.
 */
export type Taken = StoredFilter & { state: 'taken' | 'idle' | 'busy' }

/** Where filters live between polls. Both implementations pass `store.contract.ts`. */
export type FilterStore = {
  /** A new filter's id. @throws LimitExceededError with the client's or everybody's limit */
  create(client: string, filter: StoredFilter): Promise<string>
  /** Does not count as a poll. */
  read(id: string): Promise<StoredFilter | undefined>
  /** Begins a poll, which also renews the lifetime. `nothing` is the cursor at which no page is needed. */
  take(id: string, token: string, nothing: string): Promise<Taken | undefined>
  /** Renews the lease while a page is on its way; false when another poll has taken the page. */
  extend(id: string, token: string): Promise<boolean>
  /** Delivered: moves the cursor and ends the lease, unless another poll has taken the page or moved the cursor. */
  move(id: string, token: string, from: string, to: string): Promise<boolean>
  /** Not delivered: ends the lease. */
  release(id: string, token: string): Promise<void>
  /** Whether there was such a filter. */
  remove(id: string): Promise<boolean>
}

/** Bounds of a store. */
export type FilterLimits = {
  /** Milliseconds that a filter lives without a poll. */
  ttl: number
  /** Milliseconds that a page is reserved for the poll that took it. */
  lease: number
  perClient: number
  total: number
}

/** Milliseconds: what a killed replica may hold up, long enough for three renewals. */
export const PAGE_LEASE = 3_000

/** `-32000`: no such filter, or it has expired. Clients re-create their filter on exactly this. */
export class FilterNotFoundError extends RpcError {
  override name = 'FilterNotFoundError'

  constructor() {
    super(-32000, 'filter not found')
  }
}
