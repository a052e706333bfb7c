import { LimitExceededError, RpcError } from '../../lib/errors.ts'

/** What a filter watches. */
export type FilterSpec = {
  view: 'full' | 'solid'
} & (
  | {
      kind: 'logs'
      addresses: string[]
      topics: (string[] | null)[]
      /** First and last block whose logs polls deliver; no limit if absent. */
      from?: number
      to?: number
      /** First block of `eth_getFilterLogs`. */
      scanFrom: number
    }
  | { kind: 'blocks' }
  | { kind: 'pending' }
)

/** A filter: its query and its cursor. */
export type StoredFilter = {
  spec: FilterSpec
  /** `number:hash` of the last delivered block, or a position in the log of pending transactions. Opaque to the store. */
  cursor: string
}

/**
 * - `claimed`: the page at the cursor is reserved for this poll until it is committed, released, or the lease expires.
 * - `idle`: there is nothing to deliver after the cursor. No lease.
 * - `busy`: another poll has the page.
 */
export type Claim = StoredFilter & { state: 'claimed' | 'idle' | 'busy' }

/** Stores filters between polls. Both implementations pass `store.contract.ts`. */
export type FilterStore = {
  /**
   * Adds a filter and returns its id, a new one unless it is given. A filter with the given id stays as it is.
   *
   * @throws LimitExceededError when the client or all clients together have too many or too large ones
   */
  create(owner: FilterOwner, filter: StoredFilter, id?: string): Promise<string>
  /** Reads a filter. Does not count as a poll. */
  read(id: string): Promise<StoredFilter | undefined>
  /** Starts a poll and renews the lifetime. `nothing` is the cursor after which there is nothing to deliver. */
  claim(id: string, token: string, nothing: string): Promise<Claim | undefined>
  /** Renews the lease until the page is delivered; false when another poll has claimed the page. */
  renew(id: string, token: string): Promise<boolean>
  /**
   * The page was delivered: moves the cursor and ends the lease. False when another poll has claimed the page or moved
   * the cursor.
   */
  commit(id: string, token: string, from: string, to: string): Promise<boolean>
  /** The page was not delivered: ends the lease. */
  release(id: string, token: string): Promise<void>
  /** Removes a filter. Returns whether it existed. */
  remove(id: string): Promise<boolean>
  /** Checks that the store can be written. @throws StoreUnavailableError with the cause */
  check(): Promise<void>
  /** The use that this process has last seen, without a call to the store. */
  usage(): FilterUsage
}

/** A client, and how many filters it may have if that is not the limit of the store. */
export type FilterOwner = { client: string; most?: number | undefined }

/** Number and bytes of the filters of all clients. */
export type FilterUsage = {
  filters: number
  bytes: number
  /** New filters of all clients are rejected. */
  isFull: boolean
}

/** Limits of a store. */
export type FilterLimits = {
  /** Milliseconds without a poll after which a filter expires. */
  ttl: number
  /** Milliseconds for which a page is reserved for the poll that claimed it. */
  lease: number
  perClient: number
  total: number
  bytesPerClient: number
  bytesTotal: number
}

/** Default lease in milliseconds: the time that a killed replica delays a page. Long enough for three renewals. */
export const PAGE_LEASE = 3_000

/** Bytes of a filter without its query: its cursor, its id in the lists, the entries of maps and keys. */
const FILTER_OVERHEAD = 512

/** The counted memory of a filter, in bytes. @param spec - its query as the stored JSON text, which is ASCII. */
export function filterBytes(spec: string): number {
  return spec.length + FILTER_OVERHEAD
}

/** The name of the limit that a new filter exceeds. */
export type FilterLimit = Extract<
  keyof FilterLimits,
  'bytesPerClient' | 'bytesTotal' | 'perClient' | 'total'
>

/** `-32005`: a new filter exceeds a limit. */
export function overLimit(limit: FilterLimit, limits: FilterLimits): LimitExceededError {
  const messages = {
    bytesPerClient: `exceed max filter bytes of one client: ${limits.bytesPerClient}`,
    bytesTotal: `exceed max filter bytes of all clients: ${limits.bytesTotal}, try again later`,
    perClient: `exceed max filters of one client: ${limits.perClient}`,
    total: `exceed max filters: ${limits.total}, try again later`,
  }
  return new LimitExceededError(messages[limit])
}

/** Whether a store is full: it rejected a filter recently, or has little space left. */
export function createFullness({ bytesTotal, total }: Pick<FilterLimits, 'bytesTotal' | 'total'>) {
  let refused: { bytes: number; filters: number } | undefined
  return {
    /** Records that a filter was rejected because of the limits of all clients together. */
    refuse(usage: { bytes: number; filters: number }) {
      refused = usage
    },
    isFull({ bytes, filters }: { bytes: number; filters: number }): boolean {
      if (refused && (bytes < refused.bytes || filters < refused.filters)) refused = undefined
      return refused !== undefined || filters >= total || bytes >= ALMOST * bytesTotal
    },
  }
}

/** Share of the bytes above which a store counts as full. The largest filter has a third of a megabyte. */
const ALMOST = 0.95

/** `-32000`: no such filter, or it has expired. Clients recognise this text and create a new filter. */
export class FilterNotFoundError extends RpcError {
  override name = 'FilterNotFoundError'

  constructor() {
    super(-32000, 'filter not found')
  }
}
