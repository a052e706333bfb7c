import type { Hash } from 'viem'

import { toRpcHeader } from '../../codec/block.ts'
import { toRpcLogs } from '../../codec/log.ts'
import { UpstreamError } from '../../lib/errors.ts'
import type { NativeClient } from '../../native/client.ts'
import type { Block } from '../../native/wire/types.ts'
import { viewOfBlock } from '../../native/wire/views.ts'
import { type BlockSource, type LoadedBlock, loadBlock } from '../reads/load.ts'
import type { HeadBlock, RecentBlock } from './headTypes.ts'

/** The node calls of the head. Each throws UpstreamError or another RpcError when the node fails. */
export type HeadSource = ReturnType<typeof createHeadSource>

/** The node's newest block, with its native header; with its transactions if the chain is in this process. */
export type Tip = HeadBlock & { native: Block }

/** Reads blocks for the head. `onLoaded` is called with every block that was read whole, to fill caches. */
export function createHeadSource({
  isInProcess = false,
  baseFee,
  native,
  onLoaded,
}: createHeadSource.Options) {
  /** The parts of a loaded block that filters and subscriptions deliver. */
  async function toRecentBlock({ block, infos }: LoadedBlock): Promise<RecentBlock> {
    const head = toHeadBlock(block)
    const logs = toRpcLogs(block, infos)
    const baseFeePerGas = await baseFee?.(head)
    return {
      logs,
      ...head,
      header: toRpcHeader(block, infos, { baseFeePerGas, logs }),
      transactions: (block.transactions ?? []).map(({ txID }): Hash => `0x${txID}`),
    }
  }

  async function load(
    ref: { number: number } | { hash: Hash },
    known?: Block,
  ): Promise<RecentBlock | undefined> {
    const loaded = await loadBlock(native, ref, undefined, { known: known && viewOfBlock(known) })
    if (!loaded) return undefined
    onLoaded?.(loaded)
    return toRecentBlock(loaded)
  }

  return {
    /** The newest block's header, with one cheap call. */
    async tip(): Promise<Tip> {
      // In this process the transactions of a block cost less than the call that would read them.
      const block = await native.wallet.getBlock(isInProcess ? { detail: true } : {})
      if (!block) throw new UpstreamError('the node has no block')
      return { native: block, ...toHeadBlock(block) }
    },
    /** The newest solidified block. */
    async solidified(): Promise<HeadBlock> {
      const block = await native.solidity.getBlock({})
      if (!block) throw new UpstreamError('the node has no solidified block')
      return toHeadBlock(block)
    },
    /** Hash of the solidified block at a height; undefined when no block is solidified there yet. */
    async solidifiedAt(number: number): Promise<Hash | undefined> {
      const block = await native.solidity.getBlock({ id_or_num: String(number) })
      return block && toHeadBlock(block).hash
    },
    /** Hash of the block at a height; undefined when the node has none there. */
    async hashAt(number: number): Promise<Hash | undefined> {
      const block = await native.wallet.getBlock({ id_or_num: String(number) })
      return block && toHeadBlock(block).hash
    },
    /** A whole block with its logs; undefined when the node does not have it (yet). */
    load: (ref: { number: number } | { hash: Hash }) => load(ref),
    /** The whole block of a tip. An empty block needs no call. */
    async loadTip(tip: Tip): Promise<RecentBlock | undefined> {
      const known = isInProcess ? tip.native : undefined
      if (!isEmpty(tip.native)) return load({ hash: tip.hash }, known)
      const loaded = { block: tip.native, infos: [] }
      onLoaded?.(loaded)
      return toRecentBlock(loaded)
    },
  }
}

export declare namespace createHeadSource {
  type Options = {
    /** The chain is in this process. @default false */
    isInProcess?: boolean | undefined
    /** The base fee that the header of a block announces, sun. @default headers announce none */
    baseFee?: ((block: HeadBlock) => Promise<bigint>) | undefined
    native: { wallet: Source; solidity: Pick<NativeClient['solidity'], 'getBlock'> }
    onLoaded?: ((loaded: LoadedBlock) => void) | undefined
  }
  type Source = BlockSource['wallet'] & Pick<NativeClient['wallet'], 'getBlock'>
}

/** Number, hash, parent and time of a native block. */
export function toHeadBlock({ blockID, block_header }: Block): HeadBlock {
  const { number = 0, parentHash, timestamp = 0 } = block_header.raw_data
  return {
    number,
    hash: `0x${blockID}`,
    parentHash: `0x${parentHash ?? '0'.repeat(64)}`,
    timestamp,
  }
}

/** The root of no transactions is 32 zero bytes. Genesis has transactions whatever its root says. */
function isEmpty({ block_header }: Block): boolean {
  const { number = 0, txTrieRoot } = block_header.raw_data
  return number > 0 && txTrieRoot !== undefined && /^0+$/.test(txTrieRoot)
}
