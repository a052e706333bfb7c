import type { ChainBlock } from '../block.ts'
import type { StateReader } from '../state.ts'
import type { Reach } from './blockReads.ts'

/** A chain of a real node that a chain in this process goes on from. */
export type Fork = {
  /** The block that the chain goes on from, without its transactions. */
  block: ChainBlock
  chainId: number
  /** The addresses that the node was named by, its JSON-RPC's included. */
  urls: readonly string[]
  /** What is known as of the fork block, and what as of its first read. */
  reach: Reach
  /** The state after that block. Reading throws MissingStateError where a value must be fetched first. */
  state: StateReader
  /** An earlier block, without its transactions. @throws MissingStateError where it must be fetched first */
  blockAt(number: number): ChainBlock
  /** The state after an earlier block. @throws ForkError when the node keeps none; MissingStateError */
  stateAt(number: number): StateReader
  /** The balance of an account after an earlier block. @throws ForkError when the node does not keep it */
  balanceAt(address: string, number: number): Promise<bigint>
  /** Asks the node, by the name of an operation. The answer is as received. @throws UpstreamError, NodeRefusedError */
  ask(operation: string, body: unknown): Promise<unknown>
  /** The same for what never changes and is asked for often: the answer is kept. */
  askOnce(operation: string, body: unknown): Promise<unknown>
  close(): Promise<void>
}
