import type { RpcLog, RpcReceipt } from '../../../codec/types.ts'
import { toBase58Address, toRpcAddress } from '../../../lib/address.ts'
import { topicsOf } from '../reads/events.ts'
import { type LogSearch, readLogPage } from '../reads/logPage.ts'
import { receiptsOf, type Source } from '../reads/source.ts'
import {
  addressIn,
  type Answered,
  AskedError,
  isSet,
  MOST,
  type Page,
  pageIn,
  type View,
  whole,
} from './asked.ts'
import { namedEvent } from './namedEvent.ts'

/** The events of a contract, newest first. */
export const contractEvents: View = async (asked, source) => {
  const address = addressIn(asked.id)
  const page = await pageIn(asked, source)
  const name = asked.param('event_name')
  if (name === undefined) return eventPage({ address }, page, source)
  const { abi } = await source.contract(address)
  const topics = topicsOf(name, abi)
  return topics.length === 0 ? { data: [] } : eventPage({ address, topics: [topics] }, page, source)
}

/** The events of a block, in the order of the chain. */
export const blockEvents: View = async (asked, source) => {
  const page = await pageIn(asked, source)
  const number = asked.id === 'latest' ? await source.head() : whole(asked.id, 'block')
  const limit = asked.param('limit') === undefined ? MOST : page.limit
  const range = { from: Math.max(page.from, number), to: Math.min(page.to, number) }
  return eventPage({}, { ...page, ...range, isAscending: true, limit }, source)
}

/** The events of a transaction. */
export const transactionEvents: View = async ({ id, param }, source) => {
  if (!/^(0x)?[\da-f]{64}$/i.test(id)) throw new AskedError(`invalid id: ${id.slice(0, 70)}`)
  const hash = `0x${id.replace(/^0x/i, '').toLowerCase()}`
  const receipt = await source.ask<RpcReceipt | null>('eth_getTransactionReceipt', hash)
  if (!receipt) return { data: [] }
  const solid = await source.solid()
  const isConfirmed = Number(receipt.blockNumber) <= solid
  if (isSet(param, isConfirmed ? 'only_unconfirmed' : 'only_confirmed')) return { data: [] }
  return { data: await eventsOf(receipt.logs, solid, source) }
}

async function eventPage(search: LogSearch, page: Page, source: Source): Promise<Answered> {
  const { logs, next, searched } = await readLogPage([search], page, source)
  const events = await eventsOf(logs, page.solid, source)
  return {
    data: events.filter(({ block_timestamp: time }) => page.isInTime(time)),
    next,
    ...(next !== undefined && { searched }),
  }
}

/** Logs as this API writes them. */
async function eventsOf(logs: readonly RpcLog[], solid: number, source: Source) {
  const receiptOf = receiptsOf(source)
  return Promise.all(
    logs.map(async (log) => {
      const number = Number(log.blockNumber)
      const [receipt, mined, { abi }] = await Promise.all([
        receiptOf(log),
        source.mined(log),
        source.contract(log.address),
      ])
      return {
        block_number: number,
        block_timestamp: mined.timestamp,
        /** The contract that the transaction called. */
        caller_contract_address: toBase58Address(toRpcAddress(mined.info?.contract_address)),
        contract_address: toBase58Address(log.address),
        /** Index of the log in its transaction. */
        event_index: Number(log.logIndex) - Number(receipt.logs[0]?.logIndex),
        ...namedEvent(log, abi),
        transaction_id: log.transactionHash.slice(2),
        ...(number > solid && { _unconfirmed: true }),
      }
    }),
  )
}
