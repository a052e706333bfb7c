import type { ChainBlock } from '../../blocks/block.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { type ChainEvent, eventsOf } from './list.ts'

/** Filter and start of a page of events. */
export type EventQuery = {
  eventName?: string | undefined
  blockNumber?: number | undefined
  /** Milliseconds. */
  from: number
  to: number
  onlyConfirmed: boolean
  onlyUnconfirmed: boolean
  ascending: boolean
  limit: number
  /** The end of the previous page. */
  after?: Place | undefined
}

/** The block of an event, and its index among all logs of the block. */
type Place = { block: number; position: number }

/** A page of events. `next` is its end if there are more events. */
export type EventPage = { events: ChainEvent[]; next?: string }

/** Maximum number of events of one page. */
export const MAX_LIMIT = 200
/** Default number of events of one page. */
export const DEFAULT_LIMIT = 20

/** The events of a contract (42 hex characters), newest first by default. */
export function eventsOfContract(ledger: Ledger, contract: string, query: EventQuery): EventPage {
  const page: ChainEvent[] = []
  let last: Place | undefined
  for (const block of blocksOf(ledger, query)) {
    const { number, timestamp } = block.header
    if (timestamp < query.from || timestamp > query.to) continue
    if (query.blockNumber !== undefined && number !== query.blockNumber) continue
    const events = eventsOf(ledger, block, contract).map((event, position) => ({ event, position }))
    for (const { event, position } of query.ascending ? events : events.toReversed()) {
      if (!isWanted(event, query) || !isAfter({ block: number, position }, query)) continue
      if (page.length === query.limit && last) return { events: page, next: toFingerprint(last) }
      page.push(event)
      last = { block: number, position }
    }
  }
  return { events: page }
}

function* blocksOf(ledger: Ledger, { after, ascending }: EventQuery): Generator<ChainBlock> {
  // The first block that this chain has: above 0 on a fork.
  const first = ledger.fork?.block.header.number ?? 0
  const newest = ledger.head().header.number
  const start = after?.block ?? (ascending ? first : newest)
  const blocks = ascending ? ledger.stored(start, newest) : ledger.stored(start, first, -1)
  for (const block of blocks) if (block.infos.length > 0) yield block
}

function isWanted(event: ChainEvent, query: EventQuery): boolean {
  const { _unconfirmed: isUnconfirmed, event_name: name } = event
  if (query.eventName !== undefined && name !== query.eventName) return false
  return isUnconfirmed ? !query.onlyConfirmed : !query.onlyUnconfirmed
}

function isAfter({ block, position }: Place, { after, ascending }: EventQuery): boolean {
  if (!after || block !== after.block) return true
  return ascending ? position > after.position : position < after.position
}

function toFingerprint({ block, position }: Place): string {
  return Buffer.from(`${block}/${position}`).toString('base64url')
}

/** The position in a fingerprint; undefined when it is invalid. */
export function fromFingerprint(text: string): Place | undefined {
  const match = /^(\d{1,15})\/(\d{1,9})$/.exec(Buffer.from(text, 'base64url').toString())
  return match ? { block: Number(match[1]), position: Number(match[2]) } : undefined
}
