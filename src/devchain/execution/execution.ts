import type { TransactionInfo, TransactionResult } from '../../native/wire/types.ts'
import type { ContractType } from '../contracts/types.ts'
import type { EthereumRules } from '../transactions/rules.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import type { BlockContext } from '../vm/blockContext.ts'
import type { EmptyRevert } from '../vm/emptyRevert.ts'
import type { runVm } from '../vm/run.ts'

/** The execution context of a transaction. */
export type ExecutionContext = {
  /** Time of the newest block, milliseconds. */
  headTime: number
  /** The hash part of a recent block by the last four characters of its number, as reference blocks name it. */
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

/** What development tools show of an Ethereum transaction, and the chain does not store. */
export type TransactionNotes = {
  /** The lines that it printed with `console.sol`. */
  printed?: readonly Uint8Array[]
  /** Where it reverted without data. */
  emptyRevert?: EmptyRevert
}

/** The outcome of a transaction: its result in the block, and its record, to which the caller adds the block fields. */
export type Applied = TransactionNotes & {
  /** The transaction with values that depend on its block; absent if it has no such values. */
  transaction?: ChainTransaction
  results: TransactionResult[]
  info: TransactionInfo
  /** The change of each account's balance, sun. */
  balances: BalanceChange[]
}

/** The change of one balance: address of 42 hex characters, amount in sun. */
export type BalanceChange = { address: string; amount: bigint }
