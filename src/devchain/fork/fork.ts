import type { ChainBlock } from '../blocks/block.ts'
import type { StateReader } from '../state/state.ts'
import type { Reach } from './blockReads.ts'

/** The chain of a node that a chain in this process forks. */
export type Fork = {
  /** The fork block, without its transactions. */
  block: ChainBlock
  chainId: number
  /** The URLs of the node and of its JSON-RPC. */
  urls: readonly string[]
  /** The time of each kind of state: the fork block or the first read. */
  reach: Reach
  /** The state after that block. Reads throw MissingStateError if a value must be fetched first. */
  state: StateReader
  /** An earlier block, without its transactions. @throws MissingStateError if it must be fetched first */
  blockAt(number: number): ChainBlock
  /** The state after an earlier block. @throws ForkError when the node does not keep it; MissingStateError */
  stateAt(number: number): StateReader
  /** The balance of an account after an earlier block. @throws ForkError when the node does not keep it */
  balanceAt(address: string, number: number): Promise<bigint>
  /** Calls an operation of the node and returns the answer as received. @throws UpstreamError, NodeRefusedError */
  ask(operation: string, body: unknown): Promise<unknown>
  /** The same for answers that never change. Each is fetched once. */
  askOnce(operation: string, body: unknown): Promise<unknown>
  close(): Promise<void>
}
