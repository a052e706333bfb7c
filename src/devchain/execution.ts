import type { TransactionInfo, TransactionResult } from '../native/types.ts'
import type { ContractType } from './contracts/types.ts'
import type { EthereumRules } from './ethereum/rules.ts'
import type { ChainTransaction } from './transaction.ts'
import type { BlockContext } from './vm/blockContext.ts'
import type { runVm } from './vm/run.ts'

/** The chain as a transaction meets it. */
export type ExecutionContext = {
  /** Milliseconds of the newest block. */
  headTime: number
  /** Last four characters of the number and the hash part of a recent block, by which transactions refer to it. */
  refBlockHash: (refBlockBytes: string) => string | undefined
  isKnown: (id: string) => boolean
  types: Readonly<Record<string, ContractType>>
  /** The block that the transaction is going to be in. */
  block: BlockContext
  /** How Ethereum transactions are treated. */
  ethereum: EthereumRules
  /** Listens to the frames and steps of a run. */
  observe?: runVm.Observe
}

/** What became of a transaction: its result in the block, and its record (block fields are the caller's to add). */
export type Applied = {
  /** The transaction with what its block decided; absent where nothing did. */
  transaction?: ChainTransaction
  results: TransactionResult[]
  info: TransactionInfo
  /** What an Ethereum transaction printed on the console of `console.sol`. */
  printed?: readonly Uint8Array[]
  /** By how much each account's balance changed, sun. */
  balances: BalanceChange[]
}

export type BalanceChange = { address: string; amount: bigint }
