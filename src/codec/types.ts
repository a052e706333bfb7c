import type { ValueOf } from '../lib/jsonSchema.ts'
import type * as schemas from './schemas.ts'

/** A log row of `eth_getLogs`, receipts and notifications. */
export type RpcLog = ValueOf<typeof schemas.log>

/** A block in the format of `eth_getBlockBy*`. */
export type RpcBlock = ValueOf<typeof schemas.block>

/** A block without its transactions: the `newHeads` payload. */
export type RpcHeader = Omit<RpcBlock, 'transactions' | 'uncles'>

/** A transaction in the format of `eth_getTransactionBy*`. The fields of its block are null while it is pending. */
export type RpcTransaction = ValueOf<typeof schemas.transaction>

/** A receipt in the format of `eth_getTransactionReceipt`. */
export type RpcReceipt = ValueOf<typeof schemas.receipt>

/** A page of the transactions of an account in the format of `ethgate_getTransactions`. */
export type RpcHistory = ValueOf<typeof schemas.history>
