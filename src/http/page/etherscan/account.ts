import type { Address, Hex } from 'viem'
import { hexToBigInt, numberToHex, pad } from 'viem/utils'

import type { RpcLog, RpcReceipt, RpcTransaction } from '../../../codec/types.ts'
import type { Source } from '../reads/source.ts'
import { TRANSFER_TOPIC } from '../reads/transfers.ts'
import {
  type Actions,
  addressIn,
  ApiError,
  blockIn,
  decimal,
  EmptyError,
  hashIn,
  numberIn,
  partIn,
  type Query,
} from './query.ts'

/** Accounts of one `balancemulti`. */
const MOST_ACCOUNTS = 20

/** Transactions that one search returns. */
const PAGE = 1_000

/** Transfers of one page: each needs its transaction and receipt. */
const MOST_TRANSFERS = 1_000

/** A page of Otterscan's search, newest first. */
type Page = {
  txs: RpcTransaction[]
  receipts: (RpcReceipt & { timestamp: number })[]
  firstPage: boolean
  lastPage: boolean
}

type Found = { transaction: RpcTransaction; receipt: Page['receipts'][number] }

/** The module `account`. */
export const account: Actions = {
  balance: async (query, source) =>
    decimal(await source.ask<Hex>('eth_getBalance', addressIn(query), blockIn(query))),

  balancemulti(query, source) {
    const accounts = (query('address') ?? '').split(',')
    if (accounts.length > MOST_ACCOUNTS)
      throw new ApiError(`Error! At most ${MOST_ACCOUNTS} addresses`)
    return Promise.all(
      accounts.map(async (account) => ({
        account,
        balance: decimal(
          await source.ask<Hex>(
            'eth_getBalance',
            addressIn(() => account),
            blockIn(query),
          ),
        ),
      })),
    )
  },

  async txlist(query, source) {
    const head = await source.head()
    const { skip, take } = partIn(query)
    const found = await transactionsOf(query, source, head, skip + take)
    return listed(
      found.slice(skip, skip + take).map((one) => rowOf(one, head)),
      NONE,
    )
  },

  async txlistinternal(query, source) {
    if (query('txhash') === undefined) return listed(await internalOf(query, source), NONE)
    const hash = hashIn(query)
    const receipt = await source.ask<RpcReceipt | null>('eth_getTransactionReceipt', hash)
    if (!receipt) return listed([], NONE)
    const operations = await source.ask<Operation[]>('ots_getInternalOperations', hash)
    return listed(
      operations.map((one) => internalRow(one, receipt)),
      NONE,
    )
  },

  tokentx: (query, source) => transfersOf(query, source, 3),
  tokennfttx: (query, source) => transfersOf(query, source, 4),
}

/** What a list without entries is called. */
const NONE = 'No transactions found'

/** A transfer or creation inside a transaction, in Otterscan's format. */
type Operation = { type: number; from: Address; to: Address; value: Hex }

function internalRow(
  { from, to, type, value }: Operation,
  { blockNumber }: Pick<RpcReceipt, 'blockNumber'>,
) {
  return {
    blockNumber: decimal(blockNumber),
    from,
    to,
    value: decimal(value),
    contractAddress: type > 1 ? to : '',
    type: ['call', 'suicide', 'create', 'create2'][type] ?? 'call',
    isError: '0',
    errCode: '',
  }
}

/** Transactions of one search for the transfers inside them: each is read on its own. */
const INTERNAL_PAGE = 100

/** The part of the transfers inside transactions, from and to an account, that a request asks for. @throws ApiError */
async function internalOf(query: Query, source: Source) {
  const address = addressIn(query)
  const head = await source.head()
  const start = numberIn(query, 'startblock', 0)
  const end = Math.min(numberIn(query, 'endblock', head), head)
  const isDescending = query('sort') === 'desc'
  const { skip, take } = partIn(query, MOST_TRANSFERS)
  const rows: (ReturnType<typeof internalRow> & { timeStamp: string; hash: Hex })[] = []
  let next: string | null = numberToHex(isDescending ? end + 1 : Math.max(0, start - 1))
  while (next !== null && rows.length < skip + take) {
    type Page = {
      transactions: { timestamp: Hex; receipt: RpcReceipt }[]
      older: string | null
      newer: string | null
      complete: boolean
    }
    const bound: object = isDescending ? { before: next } : { after: next }
    const page: Page = await source.ask<Page>('ethgate_getTransactions', {
      address,
      kind: 'internal',
      limit: INTERNAL_PAGE,
      ...bound,
    })
    if (!page.complete)
      throw new ApiError('Error! The log index does not have the accounts of all blocks')
    const found = isDescending ? page.transactions : page.transactions.toReversed()
    const inRange = found.filter(({ receipt }) => {
      const block = Number(receipt.blockNumber)
      return block >= start && block <= end
    })
    for (const { receipt, timestamp } of inRange) {
      const hash = receipt.transactionHash
      const operations = await source.ask<Operation[]>('ots_getInternalOperations', hash)
      for (const one of operations)
        if (one.from === address || one.to === address)
          rows.push({ ...internalRow(one, receipt), timeStamp: decimal(timestamp), hash })
    }
    if (inRange.length < found.length) break
    next = isDescending ? page.older : page.newer
  }
  return rows.slice(skip, skip + take)
}

/** The transactions of an account between `startblock` and `endblock`, in the order of `sort`; at least `wanted` if there are as many. */
async function transactionsOf(
  query: Query,
  source: Source,
  head: number,
  wanted: number,
): Promise<Found[]> {
  const address = addressIn(query)
  const start = numberIn(query, 'startblock', 0)
  const end = Math.min(numberIn(query, 'endblock', head), head)
  const isDescending = query('sort') === 'desc'
  const found: Found[] = []
  let edge = isDescending ? (end === head ? 0 : end + 1) : Math.max(0, start - 1)
  for (;;) {
    const { firstPage, lastPage, receipts, txs } = await source.ask<Page>(
      isDescending ? 'ots_searchTransactionsBefore' : 'ots_searchTransactionsAfter',
      address,
      edge,
      PAGE,
    )
    const page = txs.map((transaction, index) => ({
      transaction,
      receipt: receipts[index] as Found['receipt'],
    }))
    if (!isDescending) page.reverse()
    found.push(
      ...page.filter(({ receipt }) => {
        const block = Number(receipt.blockNumber)
        return block >= start && block <= end
      }),
    )
    const last = page.at(-1)
    if (!last || (isDescending ? lastPage : firstPage) || found.length >= wanted) return found
    edge = Number(last.receipt.blockNumber)
    if (isDescending ? edge <= start : edge >= end) return found
  }
}

function rowOf({ receipt, transaction }: Found, head: number) {
  const { input } = transaction
  return {
    blockNumber: decimal(receipt.blockNumber),
    timeStamp: String(receipt.timestamp),
    hash: transaction.hash,
    nonce: decimal(transaction.nonce),
    blockHash: receipt.blockHash,
    transactionIndex: decimal(receipt.transactionIndex),
    from: transaction.from,
    to: transaction.to ?? '',
    value: decimal(transaction.value),
    gas: decimal(transaction.gas),
    gasPrice: decimal(receipt.effectiveGasPrice),
    isError: receipt.status === '0x1' ? '0' : '1',
    txreceipt_status: decimal(receipt.status),
    input,
    contractAddress: receipt.contractAddress ?? '',
    cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
    gasUsed: decimal(receipt.gasUsed),
    confirmations: String(head - Number(receipt.blockNumber) + 1),
    methodId: input === '0x' ? '0x' : input.slice(0, 10),
    functionName: '',
  }
}

/** Token transfers from and to an account. @param topics - 3 for amounts (ERC-20), 4 for single tokens (ERC-721) */
async function transfersOf(query: Query, source: Source, topics: 3 | 4) {
  const head = await source.head()
  const { skip, take } = partIn(query, MOST_TRANSFERS)
  const contract =
    query('contractaddress') === undefined ? undefined : addressIn(query, 'contractaddress')
  const who = query('address') === undefined ? undefined : pad(addressIn(query))
  if (!contract && !who) throw new ApiError('Error! Missing address or contractaddress')
  const filter = {
    fromBlock: numberToHex(numberIn(query, 'startblock', 0)),
    toBlock: numberToHex(Math.min(numberIn(query, 'endblock', head), head)),
    ...(contract && { address: contract }),
  }
  const searches = who
    ? [
        [TRANSFER_TOPIC, who],
        [TRANSFER_TOPIC, null, who],
      ]
    : [[TRANSFER_TOPIC]]
  const found = await Promise.all(
    searches.map((wanted) => source.ask<RpcLog[]>('eth_getLogs', { ...filter, topics: wanted })),
  )
  // A transfer to oneself is in both searches.
  const logs = new Map(
    found
      .flat()
      .filter((log) => log.topics.length === topics)
      .map((log) => [`${log.blockNumber} ${log.logIndex}`, log]),
  )
  const ordered = [...logs.values()].toSorted(
    (a, b) =>
      Number(a.blockNumber) - Number(b.blockNumber) || Number(a.logIndex) - Number(b.logIndex),
  )
  if (query('sort') === 'desc') ordered.reverse()
  const rows = ordered.slice(skip, skip + take).map((log) => transferRow(log, source, head))
  return listed(await Promise.all(rows), NONE)
}

async function transferRow(log: RpcLog, source: Source, head: number) {
  const [receipt, transaction, token] = await Promise.all([
    source.ask<RpcReceipt>('eth_getTransactionReceipt', log.transactionHash),
    source.ask<RpcTransaction>('eth_getTransactionByHash', log.transactionHash),
    source.token(log.address),
  ])
  const [, from = '0x', to = '0x', id] = log.topics
  return {
    blockNumber: decimal(log.blockNumber),
    timeStamp: decimal(log.blockTimestamp),
    hash: log.transactionHash,
    nonce: decimal(transaction.nonce),
    blockHash: log.blockHash,
    from: accountOf(from),
    contractAddress: log.address,
    to: accountOf(to),
    ...(id === undefined
      ? { value: log.data === '0x' ? '0' : String(hexToBigInt(log.data.slice(0, 66) as Hex)) }
      : { tokenID: decimal(id) }),
    tokenName: token?.name ?? '',
    tokenSymbol: token?.symbol ?? '',
    tokenDecimal: id === undefined ? String(token?.decimals ?? 0) : '0',
    transactionIndex: decimal(log.transactionIndex),
    gas: decimal(transaction.gas),
    gasPrice: decimal(receipt.effectiveGasPrice),
    gasUsed: decimal(receipt.gasUsed),
    cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
    input: 'deprecated',
    confirmations: String(head - Number(log.blockNumber) + 1),
  }
}

const accountOf = (topic: Hex): Address => `0x${topic.slice(-40)}`

/** A list; the API reports an empty one as a failure. @throws EmptyError */
export function listed<row>(rows: row[], title: string): row[] {
  if (rows.length === 0) throw new EmptyError(title)
  return rows
}
