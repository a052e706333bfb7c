import type { Hex } from 'viem'
import { hexToBigInt, numberToHex, pad } from 'viem/utils'

import type { Kind } from '../../../codec/accounts.ts'
import type { RpcHistory, RpcLog, RpcReceipt } from '../../../codec/types.ts'
import { toBase58Address, toNativeAddress } from '../../../lib/address.ts'
import { RpcError } from '../../../lib/errors.ts'
import { readHoldings } from '../reads/address.ts'
import { type LogSearch, readLogPage } from '../reads/logPage.ts'
import { type Source, tokenInList } from '../reads/source.ts'
import { TRANSFER_TOPIC } from '../reads/transfers.ts'
import { addressIn, isSet, type Asked, type Page, pageIn, type View } from './asked.ts'

/** An account as the node has it, with its balances of tokens of contracts in its newest transfers. */
export const account: View = async ({ id, param }, source) => {
  const address = addressIn(id)
  const request = { address: toNativeAddress(address) }
  const reads = isSet(param, 'only_confirmed') ? source.solidity : source.wallet
  const found = await reads.getAccount(request)
  if (!found) return { data: [] }
  const holdings = (await readHoldings({ account: found, address }, source)) ?? []
  const trc20 = holdings.flatMap(({ amount, contract }) =>
    contract && amount !== undefined ? [{ [toBase58Address(contract)]: String(amount) }] : [],
  )
  return { data: [{ ...found, trc20 }] }
}

/** The transactions of an account as the node has them, with their outcomes. */
export const transactions: View = async (asked, source) => {
  const { param } = asked
  const page = await pageIn(asked, source)
  const { after, from, isAscending, limit, to } = page
  const head = await source.head()
  if (from > to) return { data: [] }
  const first = isAscending
    ? { after: after ?? numberToHex(Math.max(0, from - 1)) }
    : { before: after ?? (to >= head ? undefined : numberToHex(to + 1)) }
  const answer = await source.ask<RpcHistory>('ethgate_getTransactions', {
    address: addressIn(asked.id),
    kind: kindsIn(param),
    limit,
    ...first,
  })
  const next = isAscending ? answer.newer : answer.older
  const listed = isAscending ? answer.transactions.toReversed() : answer.transactions
  const rows = listed.map(({ receipt }) => ({ number: Number(receipt.blockNumber), receipt }))
  const isBeyond = ({ number }: { number: number }) => (isAscending ? number > to : number < from)
  // A search that stopped early has found everything in the blocks that it searched.
  const isEnd = rows.some(isBeyond) || (!answer.complete && reachesEnd(answer.searched, page))
  if (!answer.complete && !isEnd)
    throw new RpcError(
      -32000,
      'the log index does not have the accounts of all blocks: serve with --index DIR --index-from 0',
    )
  const inRange = rows.filter(({ number }) => number >= from && number <= to)
  const data = await Promise.all(inRange.map(({ receipt }) => transactionOf(receipt, source)))
  return {
    data: data.filter(({ block_timestamp: time }) => page.isInTime(time)),
    next: isEnd ? undefined : (next ?? undefined),
  }
}

/** Whether a search reached the end of the range of a list. It starts where the page before ended. */
const reachesEnd = (searched: { from: Hex; to: Hex }, { from, isAscending, to }: Page) =>
  isAscending ? Number(searched.to) >= to : Number(searched.from) <= from

function kindsIn(param: Asked['param']): Kind[] {
  const inside: Kind[] = param('search_internal') === 'false' ? [] : ['internal']
  if (isSet(param, 'only_from')) return ['sent']
  return isSet(param, 'only_to') ? ['received', ...inside] : ['sent', 'received', ...inside]
}

async function transactionOf(receipt: RpcReceipt, source: Source) {
  const { info, timestamp, transaction } = await source.mined(receipt)
  const { raw_data, raw_data_hex, ret = [], signature, txID } = transaction
  const { energy_fee, energy_usage, energy_usage_total, net_fee, net_usage } = info?.receipt ?? {}
  return {
    ret: ret.map((one) => ({ ...one, fee: info?.fee ?? 0 })),
    signature,
    txID,
    net_usage: net_usage ?? 0,
    raw_data_hex,
    net_fee: net_fee ?? 0,
    energy_usage: energy_usage ?? 0,
    blockNumber: Number(receipt.blockNumber),
    block_timestamp: timestamp,
    energy_fee: energy_fee ?? 0,
    energy_usage_total: energy_usage_total ?? 0,
    raw_data,
    internal_transactions: info?.internal_transactions ?? [],
  }
}

/** The transfers of tokens with amounts, from and to an account. */
export const tokenTransfers: View = async (asked, source) => {
  const { param } = asked
  const page = await pageIn(asked, source)
  const who = pad(addressIn(asked.id))
  const contract = param('contract_address')
  const address: LogSearch = contract === undefined ? {} : { address: addressIn(contract) }
  const searches: LogSearch[] = []
  if (!isSet(param, 'only_to')) searches.push({ ...address, topics: [TRANSFER_TOPIC, who] })
  if (!isSet(param, 'only_from')) searches.push({ ...address, topics: [TRANSFER_TOPIC, null, who] })
  // A fourth topic is the id of a token that is one of a kind.
  const isWanted = ({ topics }: RpcLog) => topics.length === 3
  const { logs, next, searched } = await readLogPage(searches, { ...page, isWanted }, source)
  const data = await Promise.all(logs.map((log) => transferOf(log, source)))
  return {
    data: data.filter(({ block_timestamp: time }) => page.isInTime(time)),
    next,
    ...(next !== undefined && { searched }),
  }
}

async function transferOf(log: RpcLog, source: Source) {
  const [token, mined] = await Promise.all([tokenInList(log.address, source), source.mined(log)])
  const [, from, to] = log.topics.map((topic) => toBase58Address(`0x${topic.slice(-40)}`))
  return {
    transaction_id: log.transactionHash.slice(2),
    token_info: {
      symbol: token?.symbol ?? '',
      address: toBase58Address(log.address),
      decimals: token?.decimals ?? 0,
      name: token?.name ?? '',
    },
    block_timestamp: mined.timestamp,
    from,
    to,
    type: 'Transfer',
    value: log.data === '0x' ? '0' : String(hexToBigInt(log.data.slice(0, 66) as Hex)),
  }
}
