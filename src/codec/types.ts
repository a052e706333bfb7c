import type { Address, Hash, Hex } from 'viem'

import type { ForkMembers } from '../native/wire/types.ts'

/** A log row of `eth_getLogs`, receipts and notifications. */
export type RpcLog = {
  address: Address
  blockHash: Hash
  blockNumber: Hex
  /** Seconds. */
  blockTimestamp: Hex
  data: Hex
  /** Counted over the whole block. */
  logIndex: Hex
  removed: boolean
  topics: Hash[]
  transactionHash: Hash
  transactionIndex: Hex
}

/** A block without its transactions: the `newHeads` payload. */
export type RpcHeader = ForkMembers & {
  /** The energy price at the block's time, in sun. Absent if the fee signal is `legacy`. */
  baseFeePerGas?: Hex
  difficulty: Hex
  extraData: Hex
  gasLimit: Hex
  gasUsed: Hex
  hash: Hash
  logsBloom: Hex
  miner: Address
  mixHash: Hash
  nonce: Hex
  number: Hex
  parentHash: Hash
  receiptsRoot: Hash
  sha3Uncles: Hash
  size: Hex
  stateRoot: Hash
  timestamp: Hex
  totalDifficulty: Hex
  transactionsRoot: Hash
}

/** A block in the format of `eth_getBlockBy*`. */
export type RpcBlock = RpcHeader & {
  transactions: Hash[] | RpcTransaction[]
  uncles: Hash[]
}

/** A transaction in the format of `eth_getTransactionBy*`. The fields of its block are null while it is pending. */
export type RpcTransaction = {
  blockHash: Hash | null
  blockNumber: Hex | null
  /** Seconds. */
  blockTimestamp: Hex | null
  /** Absent where an Ethereum transaction was signed for any chain. */
  chainId?: Hex
  from: Address
  gas: Hex
  gasPrice: Hex
  hash: Hash
  input: Hex
  nonce: Hex
  r: Hex
  s: Hex
  to: Address | null
  transactionIndex: Hex | null
  type: Hex
  v: Hex
  value: Hex
  /** Absent in legacy transactions of Ethereum. */
  yParity?: Hex
}

/** A receipt in the format of `eth_getTransactionReceipt`. */
export type RpcReceipt = {
  /** Contracts whose predicted addresses the gateway replaced in the call data before it signed; absent if there are none. */
  predictedAddresses?: { actual: Address; predicted: Address }[]
  blockHash: Hash
  blockNumber: Hex
  contractAddress: Address | null
  cumulativeGasUsed: Hex
  effectiveGasPrice: Hex
  from: Address
  gasUsed: Hex
  logs: RpcLog[]
  logsBloom: Hex
  status: Hex
  to: Address | null
  transactionHash: Hash
  transactionIndex: Hex
  type: Hex
}
