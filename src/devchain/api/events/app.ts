import { type Context, Hono } from 'hono'

import { decodeBase58 } from '../../../lib/base58.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { runFetching } from '../../state/missing.ts'
import { type ChainEvent, eventsOf } from './list.ts'
import {
  DEFAULT_LIMIT,
  eventsOfContract,
  type EventQuery,
  fromFingerprint,
  MAX_LIMIT,
} from './query.ts'

/**
 * The events API that native client libraries use in addition to a node: `/v1/contracts/ADDRESS/events`,
 * `/v1/transactions/ID/events` and `/v1/blocks/NUMBER/events`, in the format of the public service.
 *
 * @param now - the chain's clock, milliseconds
 */
export function createEventsApp(ledger: Ledger, now: () => number): Hono {
  const app = new Hono()

  const answer = (context: Context, events: ChainEvent[], next?: string) => {
    const url = new URL(context.req.url)
    if (next) url.searchParams.set('fingerprint', next)
    return context.json({
      data: events,
      success: true,
      meta: {
        at: now(),
        ...(next && { fingerprint: next, links: { next: url.toString() } }),
        page_size: events.length,
      },
    })
  }

  app.onError((error, context) => {
    if (error instanceof QueryError)
      return context.json({ success: false, error: error.message, statusCode: 400 }, 400)
    throw error
  })

  app.get('/v1/contracts/:address/events', async (context) => {
    const contract = addressOf(context.req.param('address'))
    const query = queryOf(context.req.query())
    const { events, next } = await runFetching(() => eventsOfContract(ledger, contract, query))
    return answer(context, events, next)
  })

  app.get('/v1/transactions/:id/events', async (context) => {
    const id = context.req.param('id').toLowerCase().replace(/^0x/, '')
    const block = ledger.block(ledger.placeOf(id)?.block ?? -1)
    const events = block ? await runFetching(() => eventsOf(ledger, block)) : []
    const own = events.filter(({ transaction_id: transaction }) => transaction === id)
    return answer(context, filtered(own, context.req.query()))
  })

  app.get('/v1/blocks/:number/events', async (context) => {
    const name = context.req.param('number')
    if (name !== 'latest' && !/^\d+$/.test(name)) throw new QueryError(`invalid block: ${name}`)
    const block = name === 'latest' ? ledger.head() : ledger.block(Number(name))
    const events = block ? await runFetching(() => eventsOf(ledger, block)) : []
    return answer(context, filtered(events, context.req.query()))
  })

  return app
}

class QueryError extends Error {
  override name = 'QueryError'
}

type Params = Record<string, string>

/** A parameter with either of its two names. */
function param(params: Params, name: string): string | undefined {
  const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return params[name] ?? params[camel]
}

function filtered(events: ChainEvent[], params: Params): ChainEvent[] {
  return events.filter(({ _unconfirmed: isUnconfirmed }) =>
    isUnconfirmed
      ? param(params, 'only_confirmed') !== 'true'
      : param(params, 'only_unconfirmed') !== 'true',
  )
}

function queryOf(params: Params): EventQuery {
  const block = param(params, 'block_number')
  const fingerprint = param(params, 'fingerprint')
  const after = fingerprint === undefined ? undefined : fromFingerprint(fingerprint)
  if (fingerprint !== undefined && !after) throw new QueryError('invalid fingerprint')
  const time = (name: string) =>
    param(params, `${name}_block_timestamp`) ?? param(params, `${name}_timestamp`)
  return {
    eventName: param(params, 'event_name'),
    blockNumber: block === undefined ? undefined : whole(block, 'block_number'),
    from: whole(time('min') ?? '0', 'min_block_timestamp'),
    to: whole(time('max') ?? String(Number.MAX_SAFE_INTEGER), 'max_block_timestamp'),
    onlyConfirmed: param(params, 'only_confirmed') === 'true',
    onlyUnconfirmed: param(params, 'only_unconfirmed') === 'true',
    ascending: param(params, 'order_by')?.endsWith('timestamp,asc') === true,
    limit: Math.min(MAX_LIMIT, whole(param(params, 'limit') ?? String(DEFAULT_LIMIT), 'limit')),
    after,
  }
}

/** @throws QueryError */
function whole(text: string, name: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new QueryError(`invalid ${name}: ${text.slice(0, 40)}`)
  return Number(text)
}

/** Reads an address in base58 or hex as 42 hex characters. @throws QueryError */
function addressOf(text: string): string {
  const hex = /^(?:0x|41)([\da-f]{40})$/i.exec(text)?.[1]
  if (hex) return `41${hex.toLowerCase()}`
  const bytes = decodeBase58(text)
  if (bytes?.length === 21 && bytes[0] === 0x41) return bytes.toString('hex')
  throw new QueryError(`invalid address: ${text.slice(0, 64)}`)
}
