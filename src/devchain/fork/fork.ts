import type { ChainBlock } from '../block.ts'
import type { StateReader } from '../state.ts'
import type { Reach } from './blockReads.ts'

/** The chain of a node that a chain in this process forks. */
export type Fork = {
  /** The fork block, without its transactions. */
  block: ChainBlock
  chainId: number
  /** The URLs of the node, with that of its JSON-RPC. */
  urls: readonly string[]
  /** Which state is known at the fork block, and which only at its first read. */
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
  /** The same for answers that never change: each is fetched once and kept. */
  askOnce(operation: string, body: unknown): Promise<unknown>
  close(): Promise<void>
}
