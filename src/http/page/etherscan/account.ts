import type { AbiEvent, Address, Hash, Hex } from 'viem'
import { getAbiItem, numberToHex, pad, toEventSelector } from 'viem/utils'

import { matchEvent, STANDARD_ABI } from '../../../codec/abi.ts'
import type { RpcHistory, RpcLog, RpcReceipt, RpcTransaction } from '../../../codec/types.ts'
import { MOST_DECODED } from '../abi.ts'
import { readLogPage, sameBranch } from '../reads/logPage.ts'
import { moved, receiptsOf, type Source, tokenInList } from '../reads/source.ts'
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
    const range = await rangeIn(query, source)
    const { skip, take } = partIn(query)
    const found = await transactionsOf(addressIn(query), range, skip + take, source)
    await range.check?.()
    return listed(
      found.slice(skip, skip + take).map((one) => rowOf(one, range.head)),
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

  tokentx: (query, source) => transfersOf(query, source, TOKENS.tokentx),
  tokennfttx: (query, source) => transfersOf(query, source, TOKENS.tokennfttx),
  token1155tx: (query, source) => transfersOf(query, source, TOKENS.token1155tx),
}

/**
 * The requested range of blocks. Call `check` after the list was read: it throws if a reorg has replaced a block of the range.
 *
 * @throws ApiError
 */
async function rangeIn(query: Query, source: Source) {
  const head = await source.head()
  const end = Math.min(numberIn(query, 'endblock', head), head)
  return {
    head,
    start: numberIn(query, 'startblock', 0),
    end,
    isDescending: query('sort') === 'desc',
    check: await sameBranch(end, source),
  }
}

type Range = Awaited<ReturnType<typeof rangeIn>>

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
  const { check, end, isDescending, start } = await rangeIn(query, source)
  const { skip, take } = partIn(query, MOST_TRANSFERS)
  const rows: (ReturnType<typeof internalRow> & { timeStamp: string; hash: Hex })[] = []
  let next: string | null = numberToHex(isDescending ? end + 1 : Math.max(0, start - 1))
  while (next !== null && rows.length < skip + take) {
    const bound: object = isDescending ? { before: next } : { after: next }
    const page: RpcHistory = await source.ask<RpcHistory>('ethgate_getTransactions', {
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
  await check?.()
  return rows.slice(skip, skip + take)
}

/** The transactions of an account in a range, in its order; at least `wanted` if there are as many. */
async function transactionsOf(
  address: Address,
  { end, head, isDescending, start }: Range,
  wanted: number,
  source: Source,
): Promise<Found[]> {
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

/** A kind of token: the events that move it, where the account is in their topics, and what each moves. */
type TokenKind = {
  topics: readonly Hash[]
  /** Number of topics. */
  length: number
  from: number
  moves: (log: RpcLog, decimals: number) => Record<string, string>[]
}

const amount = (data: Hex, at = 0) => {
  const word = data.slice(2 + at * 64, 66 + at * 64)
  return word === '' ? '0' : String(BigInt(`0x${word}`))
}

const TOKENS = {
  tokentx: {
    topics: [TRANSFER_TOPIC],
    length: 3,
    from: 1,
    moves: ({ data }, decimals) => [{ value: amount(data), tokenDecimal: String(decimals) }],
  },
  tokennfttx: {
    topics: [TRANSFER_TOPIC],
    length: 4,
    from: 1,
    moves: ({ topics: [, , , id] }) => [{ tokenID: decimal(id), tokenDecimal: '0' }],
  },
  token1155tx: {
    topics: ['TransferSingle', 'TransferBatch'].map((eventName) =>
      toEventSelector(getAbiItem({ abi: STANDARD_ABI, name: eventName }) as AbiEvent),
    ),
    length: 4,
    from: 2,
    moves: movesOfMany,
  },
} as const satisfies Record<string, TokenKind>

/** The tokens of one transfer of several kinds of tokens in one contract. */
function movesOfMany(log: RpcLog): Record<string, string>[] {
  const values = matchEvent(log, [], MOST_DECODED)?.values.slice(3) as
    | [bigint | bigint[], bigint | bigint[]]
    | undefined
  const [ids = [], amounts = []] = (values ?? []).map((one) => [one].flat())
  return ids.map((id, at) => ({ tokenID: String(id), tokenValue: String(amounts[at] ?? 0n) }))
}

/** The transfers of a kind of token from and to an account, or all of a contract. */
async function transfersOf(query: Query, source: Source, kind: TokenKind) {
  const head = await source.head()
  const { skip, take } = partIn(query, MOST_TRANSFERS)
  const contract =
    query('contractaddress') === undefined ? undefined : addressIn(query, 'contractaddress')
  const who = query('address') === undefined ? undefined : pad(addressIn(query))
  if (!contract && !who) throw new ApiError('Error! Missing address or contractaddress')
  const base = { ...(contract && { address: contract }) }
  const at = (position: number) =>
    [kind.topics, ...Array.from({ length: position - 1 }, () => null), who].filter(
      (one) => one !== undefined,
    )
  const { logs, next } = await readLogPage(
    (who ? [kind.from, kind.from + 1] : [1]).map((position) => ({ ...base, topics: at(position) })),
    {
      from: numberIn(query, 'startblock', 0),
      to: Math.min(numberIn(query, 'endblock', head), head),
      isAscending: query('sort') !== 'desc',
      isWanted: ({ topics }) => topics.length === kind.length,
      limit: skip + take,
    },
    source,
  )
  if (next !== undefined && logs.length < skip + take)
    throw new ApiError('Error! The log index does not have all of these blocks: narrow the range')
  const receiptOf = receiptsOf(source)
  const rows = await Promise.all(
    logs.slice(skip, skip + take).map((log) => transferRows(log, source, receiptOf, head, kind)),
  )
  return listed(rows.flat(), NONE)
}

async function transferRows(
  log: RpcLog,
  source: Source,
  receiptOf: ReturnType<typeof receiptsOf>,
  head: number,
  kind: TokenKind,
) {
  const [receipt, transaction, token] = await Promise.all([
    receiptOf(log),
    source.ask<RpcTransaction | null>('eth_getTransactionByHash', log.transactionHash),
    tokenInList(log.address, source),
  ])
  if (!transaction) throw moved(log.transactionHash)
  const [from, to] = log.topics.slice(kind.from)
  return kind.moves(log, token?.decimals ?? 0).map((moved) => ({
    blockNumber: decimal(log.blockNumber),
    timeStamp: decimal(log.blockTimestamp),
    hash: log.transactionHash,
    nonce: decimal(transaction.nonce),
    blockHash: log.blockHash,
    from: accountOf(from ?? '0x'),
    contractAddress: log.address,
    to: accountOf(to ?? '0x'),
    ...moved,
    tokenName: token?.name ?? '',
    tokenSymbol: token?.symbol ?? '',
    transactionIndex: decimal(log.transactionIndex),
    gas: decimal(transaction.gas),
    gasPrice: decimal(receipt.effectiveGasPrice),
    gasUsed: decimal(receipt.gasUsed),
    cumulativeGasUsed: decimal(receipt.cumulativeGasUsed),
    input: 'deprecated',
    confirmations: String(head - Number(log.blockNumber) + 1),
  }))
}

const accountOf = (topic: Hex): Address => `0x${topic.slice(-40)}`

/** A list; the API reports an empty one as a failure. @throws EmptyError */
export function listed<row>(rows: row[], title: string): row[] {
  if (rows.length === 0) throw new EmptyError(title)
  return rows
}
