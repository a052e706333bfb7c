import { LRUCache } from 'lru-cache'
import type { Hash } from 'viem'

import { heightOfHash } from '../../codec/blockRef.ts'
import type { LogSource } from '../../codec/log.ts'
import { toHash, toInt64 } from '../../codec/quantity.ts'
import type { RpcReceipt } from '../../codec/types.ts'
import type { Call } from '../../lib/call.ts'
import type { NativeClient } from '../../native/client.ts'
import { createDedupe } from '../../native/dedupe.ts'
import { isBusyOrUnreachable, NodeTimeoutError, NodeUnreachableError } from '../../native/errors.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import type { Transaction, TransactionInfo } from '../../native/wire/types.ts'
import { viewOfInfo } from '../../native/wire/views.ts'
import type { Blocks } from './blocks.ts'

/** A transaction with its outcome and its place in a solidified block, without the rest of the block. */
export type LoneTransaction = {
  block: LogSource
  transaction: Transaction
  info: TransactionInfo
  index: number
  /** Energy and number of logs of the transactions before it. */
  before: bigint
  firstLog: number
}

/** After so many of its transactions a block is read as a whole: a client that reads one after the other needs all of it. */
const ALONE = 2

/** Most blocks whose reads are counted, and most hashes that are known not to be found. */
const NOTED = 1_000

/** Milliseconds for which a hash that was not found is not read alone: wallets ask for it until it is in a block. */
const UNKNOWN = 60_000

/** Milliseconds for which a JSON-RPC that did not answer gets no calls. Otherwise each read would wait for its timeout. */
const REST = 10_000

/** Memory of a parsed transaction without its call data. */
const ENTRY_BYTES = 4_000

/** Reads transactions of solidified blocks one by one. */
export type LoneTransactions = ReturnType<typeof createLoneTransactions>

/**
 * A receipt needs its place besides its own outcome: the hash of its block, its index, and the energy and logs before it. The native API
 * gives these only with the whole block and all its outcomes, after a first call that gives the height. The node’s own JSON-RPC
 * gives them at once. The content is the native one, and must agree with what JSON-RPC says of it.
 */
export function createLoneTransactions({
  blocks,
  bytes,
  isBetter,
  native,
  newest,
  now = () => performance.now(),
  rpc,
}: createLoneTransactions.Options) {
  const known = new LRUCache<Hash, { lone: LoneTransaction; epoch: number }>({
    // The library accepts only positive sizes.
    maxSize: Math.max(1, bytes),
    sizeCalculation: ({ lone: { info, transaction } }) =>
      ENTRY_BYTES + 2 * transaction.raw_data_hex.length + viewOfInfo(info).held,
  })
  const dedupe = createDedupe()
  const unknown = new LRUCache<Hash, true>({ max: NOTED, ttl: UNKNOWN })
  const reads = new LRUCache<Hash, number>({ max: NOTED })
  let restsUntil = 0

  async function read(
    hash: Hash,
    client: Pick<NodeRpc, 'call'>,
    call: Call | undefined,
  ): Promise<LoneTransaction | undefined> {
    const value = hash.slice(2)
    const [receipt, transaction, info] = await Promise.all([
      client.call('eth_getTransactionReceipt', [hash], call).catch(rest),
      native.wallet.getTransactionById({ value }, call),
      native.wallet.getTransactionInfoById({ value }, call),
    ])
    if (!receipt || !transaction || !info) return undefined
    return placed(hash, receipt, { info, transaction })
  }

  /** Without an answer of the JSON-RPC, the block is read. If the node itself is down, the native calls fail. */
  function rest(error: unknown): void {
    const isSilent = error instanceof NodeUnreachableError || error instanceof NodeTimeoutError
    if (!isSilent) throw error
    restsUntil = now() + REST
  }

  /** A client that reads a block transaction by transaction finds the later ones in the cache of blocks. */
  function note({ block }: LoneTransaction, call: Call | undefined): void {
    const count = (reads.get(toHash(block.blockID)) ?? 0) + 1
    reads.set(toHash(block.blockID), count)
    // Whoever asks for the block sees why it failed.
    if (count === ALONE) blocks.get(numberOf(block), call).catch(() => {})
  }

  return {
    /** Undefined when the caller has to read the block. @throws UpstreamError when the node is busy or unreachable, the signal's reason */
    async get(hash: Hash, call?: Call): Promise<LoneTransaction | undefined> {
      const client = rpc()
      const isOut = !client || now() < restsUntil || unknown.has(hash)
      if (isOut || !(await isBetter(hash))) return undefined
      const epoch = blocks.epoch()
      const cached = known.get(hash)
      if (cached?.epoch === epoch) return cached.lone
      let lone: LoneTransaction | undefined
      try {
        lone = await dedupe(hash, call, (call) => read(hash, client, call))
      } catch (error) {
        if (call?.signal?.aborted || isBusyOrUnreachable(error)) throw error
      }
      const canonical = lone && blocks.hashAt(numberOf(lone.block))
      const isRight =
        lone &&
        numberOf(lone.block) <= newest() &&
        (canonical === undefined || canonical === toHash(lone.block.blockID)) &&
        epoch === blocks.epoch()
      if (!lone || !isRight) {
        unknown.set(hash, true)
        return undefined
      }
      known.set(hash, { lone, epoch })
      note(lone, call)
      return lone
    },
  }
}

export declare namespace createLoneTransactions {
  type Options = {
    blocks: Pick<Blocks, 'epoch' | 'get' | 'hashAt'>
    /** Memory for transactions. */
    bytes: number
    /**
     * Whether to read the transaction alone, with three calls at once. Otherwise its block is read: from the store, or with one call for
     * the height and then two.
     */
    isBetter: (hash: Hash) => Promise<boolean>
    native: {
      wallet: Pick<NativeClient['wallet'], 'getTransactionById' | 'getTransactionInfoById'>
    }
    /** The newest solidified height. */
    newest: () => number
    /** Monotonic milliseconds. @default performance.now */
    now?: () => number
    /** The node's own JSON-RPC; undefined while no node has one. */
    rpc: () => Pick<NodeRpc, 'call'> | undefined
  }
}

const numberOf = ({ block_header }: LogSource): number => block_header.raw_data.number ?? 0

/** The place that a receipt of the node’s JSON-RPC names. Undefined when the receipt is not that of the native answers. */
function placed(
  hash: Hash,
  receipt: Partial<RpcReceipt>,
  { info, transaction }: Pick<LoneTransaction, 'info' | 'transaction'>,
): LoneTransaction | undefined {
  const { blockHash = '0x', blockNumber, cumulativeGasUsed, gasUsed, logs = [] } = receipt
  const { blockNumber: number = 0, blockTimeStamp: timestamp = 0, log = [] } = info
  const index = Number(receipt.transactionIndex)
  const energy = toInt64(info.receipt?.energy_usage_total)
  const firstLog = Number(logs[0]?.logIndex ?? 0)
  // The node’s text may be anything.
  if (!QUANTITY.test(cumulativeGasUsed ?? '') || !HASH.test(blockHash)) return undefined
  const before = BigInt(cumulativeGasUsed ?? 0) - energy
  const isSame =
    receipt.transactionHash === hash &&
    [info.id, transaction.txID].every((id) => toHash(id) === hash) &&
    Number(blockNumber) === number &&
    heightOfHash(blockHash) === number &&
    Number(gasUsed) === Number(energy) &&
    before >= 0n &&
    [index, firstLog].every((place) => Number.isSafeInteger(place) && place >= 0) &&
    logs.length === log.length &&
    logs.every(({ logIndex }, at) => Number(logIndex) === firstLog + at)
  if (!isSame) return undefined
  const block = { blockID: blockHash.slice(2), block_header: { raw_data: { number, timestamp } } }
  return { before, block, firstLog, index, info, transaction }
}

const HASH = /^0x[0-9a-f]{64}$/
const QUANTITY = /^0x[0-9a-f]{1,16}$/
