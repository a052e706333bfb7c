import type { Hono } from 'hono'

import type { NativeTransport } from '../native/transport/transport.ts'
import type { Faults } from './api/faults.ts'
import type { Artifacts } from './artifacts.ts'
import type { ChainBlock } from './blocks/block.ts'
import type { AccountChange } from './execution/override.ts'
import type { Fork } from './fork/fork.ts'
import type { ChainClock } from './ledger/clock.ts'
import type { Ledger, MineOptions } from './ledger/ledger.ts'
import type { DevAccount } from './state/keys.ts'
import type { Overlay } from './state/state.ts'
import type { SignedEthereum } from './transactions/ethereumTransaction.ts'

/** A chain in this process with the node's HTTP interface. */
export type DevChain = {
  accounts: readonly DevAccount[]
  /** The last four bytes of the genesis block, or what a tool has set. */
  readonly chainId: number
  /** Decimals of the coin. */
  readonly decimals: 6 | 18
  ledger: Ledger
  /** The chain that this one forks. */
  fork?: Fork
  clock: ChainClock
  /** The custom errors that the chain can name. */
  artifacts: Artifacts
  /** Serves `/wallet/*`, `/walletsolidity/*` and the events API at `/v1/*`. */
  app: Hono
  /** The native interface without sockets. */
  transport: NativeTransport
  /** Starts to make blocks. */
  start(): Promise<void>
  /** Stops making blocks. Every transaction that was accepted for a block is in it when this resolves. */
  close(): Promise<void>
  /** Calls the listener after each change of the chain and waits for it. Returns the function that removes it. */
  onBlock(listener: (head: ChainBlock) => Promise<void> | void): () => void
  /**
   * Sends an Ethereum transaction. With automine it is in a block when this resolves, and the listeners of `onBlock` have seen
   * the block when `announced` resolves.
   *
   * @param start - Makes the block only when its promise resolves. This then resolves as soon as the pool has the transaction,
   *   except with a fork or a state file, where a valid transaction can still fail.
   * @throws EthereumError
   */
  send(
    transaction: SignedEthereum,
    start?: () => Promise<void>,
  ): Promise<{ announced: Promise<void> }>
  /**
   * Adds an Ethereum transaction to the pool and makes no block. Returns its hash without `0x`.
   *
   * @throws EthereumError
   */
  offer(transaction: SignedEthereum): Promise<string>
  /** Makes one block. */
  mine(options?: Partial<MineOptions>): Promise<ChainBlock>
  /** Makes blocks. `interval` is the time between them in milliseconds. */
  mineMany(count: number, interval?: number): Promise<void>
  automine: boolean
  /** Sets the milliseconds between blocks, or the range of a random time for each block. */
  setBlockTime(least: number, most?: number): void
  /** Milliseconds between blocks without transactions, or the least of a range; 0 for no such blocks. */
  blockTime(): number
  /** Removes every block above a height. With `keep` their transactions return to the pool. */
  rewind(number: number, keep: boolean): Promise<void>
  /** Stores the chain: blocks, state, pool and time. Returns the number of the snapshot. */
  snapshot(): number
  /** The snapshots that can be restored, with the newest block of each. */
  snapshots(): { id: number; block: number }[]
  /** Restores a snapshot and deletes it and all later ones. False when it does not exist. */
  revert(snapshot: number): Promise<boolean>
  /** Changes the state of the newest block, without a block. */
  patch(change: (state: Overlay) => void): Promise<void>
  /** Changes one account of the newest block, by address of 42 hex characters. */
  changeAccount(address: string, change: AccountChange): Promise<void>
  /** Restores the chain as it was when this process started. */
  reset(): Promise<void>
  /** The newest state as bytes, for `loadState`. */
  dumpState(): Uint8Array
  /** Adds a dumped state to the newest one. @throws Error when the bytes are not such a state */
  loadState(dump: Uint8Array): Promise<void>
  setFaults(faults: Faults): void
}
