import type { TransactionInfo, TransactionResult } from '../native/types.ts'
import type { ContractType } from './contracts/types.ts'
import type { EthereumRules } from './ethereum/rules.ts'
import type { ChainTransaction } from './transaction.ts'
import type { BlockContext } from './vm/blockContext.ts'
import type { runVm } from './vm/run.ts'

/** The chain as a transaction sees it. */
export type ExecutionContext = {
  /** Milliseconds of the newest block. */
  headTime: number
  /** Last four characters of the number and the hash part of a recent block, by which transactions refer to it. */
  refBlockHash: (refBlockBytes: string) => string | undefined
  isKnown: (id: string) => boolean
  types: Readonly<Record<string, ContractType>>
  /** The block of the transaction. */
  block: BlockContext
  /** Rules for Ethereum transactions. */
  ethereum: EthereumRules
  /** Listens to the frames and steps of a run. */
  observe?: runVm.Observe
}

/** The outcome of a transaction: its result in the block, and its record. The caller adds the block fields of the record. */
export type Applied = {
  /** The transaction with values that depend on its block; absent when there are none. */
  transaction?: ChainTransaction
  results: TransactionResult[]
  info: TransactionInfo
  /** What an Ethereum transaction printed on the console of `console.sol`. */
  printed?: readonly Uint8Array[]
  /** By how much each account's balance changed, sun. */
  balances: BalanceChange[]
}

export type BalanceChange = { address: string; amount: bigint }
