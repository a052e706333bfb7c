import { MIB } from '../config/values.ts'

/** Units of any call: what an answer from memory costs. */
export const BASE_PRICE = 0.05

/** Units of a notification of a subscription. */
export const EVENT_PRICE = 0.02

/** Units of each mebibyte of an answer or a large request, because they take memory, time and bandwidth. */
const MEBIBYTE_PRICE = 1

/**
 * Units that must be affordable before a call starts, by method; `BASE_PRICE` for the others. `page` and `wallet` are other
 * requests over HTTP. Docs and the OpenRPC document show them. The cost of a call is known after it. The difference is charged
 * or returned then.
 */
const MINIMUM_PRICES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    debug_traceBlockByHash: 5,
    debug_traceBlockByNumber: 5,
    debug_traceCall: 5,
    debug_traceTransaction: 2,
    eth_call: 2,
    eth_createAccessList: 5,
    eth_estimateGas: 2,
    eth_feeHistory: 1,
    eth_fillTransaction: 2,
    eth_getBalance: 1,
    eth_getBlockReceipts: 1,
    eth_getCode: 1,
    eth_getFilterLogs: 2,
    eth_getLogs: 2,
    eth_getProof: 2,
    eth_getStorageAt: 1,
    eth_sendRawTransaction: 2,
    eth_sendTransaction: 5,
    eth_simulateV1: 10,
    ethgate_countLogs: 2,
    ethgate_feeQuote: 5,
    ethgate_getLogs: 2,
    ethgate_getTransactions: 2,
    ethgate_next: 2,
    ethgate_transactionStatus: 1,
    ots_getContractCreator: 2,
    ots_searchTransactionsAfter: 2,
    ots_searchTransactionsBefore: 2,
    page: 0.5,
    trace_block: 5,
    trace_filter: 10,
    trace_get: 2,
    trace_transaction: 2,
    wallet: 1,
    trace_call: 5,
    trace_callMany: 5,
  }),
)

/** The largest minimum. A burst below it would refuse such calls forever. */
export const LARGEST_MINIMUM = Math.max(...MINIMUM_PRICES.values())

/** Units of one read of the log index: a posting list or a pack of logs. A hundred of them take about as long as a call to a node. */
export const INDEX_READ_PRICE = 0.01

/** Units from which a call counts as expensive: it is refused first when the gateway is busy. */
const EXPENSIVE = 2

/**
 * Units of one call to a node, by operation in lower case, where it is not 1: contracts run in the VM, lists of blocks are
 * long.
 */
const NATIVE_PRICES: Readonly<Record<string, number>> = {
  estimateenergy: 2,
  getblockbylatestnum: 5,
  getblockbylimitnext: 5,
  triggerconstantcontract: 2,
  // The node's own JSON-RPC.
  eth_getlogs: 2,
}

/** Units that must be affordable before a call of this method. */
export function minimumPrice(method: string): number {
  return MINIMUM_PRICES.get(method) ?? BASE_PRICE
}

/** Whether calls with this minimum are refused first when the gateway is busy. */
export function isExpensive(units: number): boolean {
  return units >= EXPENSIVE
}

/** Units of one call to a node. @param path - such as `/wallet/getblock`, also with a query, or `/protocol.Wallet/GetBlock` */
export function nativePrice(path: string): number {
  const query = path.indexOf('?')
  const end = query === -1 ? path.length : query
  return NATIVE_PRICES[path.slice(path.lastIndexOf('/', end) + 1, end).toLowerCase()] ?? 1
}

/** Units of an answer without its native calls. */
export function answerPrice(bytes: number): number {
  return BASE_PRICE + bytesPrice(bytes)
}

/** Units of the bytes of an answer, or of a large request. */
export function bytesPrice(bytes: number): number {
  return (bytes / MIB) * MEBIBYTE_PRICE
}
