import type { Hash, Hex } from 'viem'

import { toRpcAddress } from '../lib/address.ts'
import type { Block, Transaction, TransactionInfo } from '../native/wire/types.ts'
import { bloomToHex, logsBloom } from './bloom.ts'
import { type LogSource, toRpcLogs } from './log.ts'
import { toHash, toInt64, toQuantity, toSeconds } from './quantity.ts'
import { blockSize } from './size.ts'
import { toRpcTransaction } from './transaction.ts'
import type { RpcBlock, RpcHeader, RpcLog, RpcTransaction } from './types.ts'

/** 32 zero bytes. */
export const ZERO_HASH: Hash = `0x${'0'.repeat(64)}`
/** Keccak-256 of the RLP of an empty string: the root of a trie without entries. */
export const EMPTY_TRIE_ROOT: Hash =
  '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
/** Keccak-256 of the RLP of an empty list: no uncles. */
const EMPTY_UNCLES_HASH: Hash = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'

/**
 * The gas limit of a block. The chain limits a block by bytes and time, not by energy, but tools need a number that no
 * transaction exceeds, and wallets cap their estimates at a share of it. This number is the most energy of one simulated
 * call (`vm.maxEnergyLimitForConstant`), which is more than any fee limit buys.
 */
export const BLOCK_GAS_LIMIT = 100_000_000n

/** The last time of a block that a client can choose, milliseconds: in the year 141,338. JavaScript’s dates end in 275,760, so blocks can follow. */
export const LAST_TIME = 2 ** 42 * 1_000

/** The transactions of a block, in order. */
export function toRpcTransactions(
  block: Block,
  infos: readonly TransactionInfo[],
  options: toRpcTransactionAt.Options,
): RpcTransaction[] {
  return (block.transactions ?? []).map((transaction, index) =>
    toRpcTransactionAt({ block, info: infos[index], index }, transaction, options),
  )
}

/** One transaction of a block. `energyPrice` is in sun, as of the block's time. */
export function toRpcTransactionAt(
  { block, index, info }: { block: LogSource; info: TransactionInfo | undefined; index: number },
  transaction: Transaction,
  { chainId, energyPrice }: toRpcTransactionAt.Options,
): RpcTransaction {
  const { number = 0, timestamp = 0 } = block.block_header.raw_data
  return toRpcTransaction(transaction, {
    block: { hash: toHash(block.blockID), index, number, timestamp },
    chainId,
    energyPrice,
    info,
  })
}

export declare namespace toRpcTransactionAt {
  type Options = { chainId: number; energyPrice: bigint }
}

/** A block from its header and its transactions, which are hashes or whole transactions. */
export function toRpcBlock(header: RpcHeader, transactions: RpcBlock['transactions']): RpcBlock {
  return { ...header, transactions, uncles: [] }
}

/** A block without its transactions. */
export function toRpcHeader(
  block: Block,
  infos: readonly TransactionInfo[],
  options: toRpcHeader.Options = {},
): RpcHeader {
  const count = block.transactions?.length ?? 0
  return toOutlineHeader(block, infos, { ...options, count, size: blockSize(block) })
}

/** A block of which only the number of its transactions and its size are known besides its header. */
export function toOutlineHeader(
  block: LogSource & Pick<Block, 'ethereum'>,
  infos: readonly Outcome[],
  { baseFeePerGas, count, logs = toRpcLogs(block, infos), size }: toOutlineHeader.Options,
): RpcHeader {
  const { accountStateRoot, number, parentHash, timestamp, txTrieRoot, witness_address } =
    block.block_header.raw_data
  const gasUsed = infos.reduce((sum, { receipt }) => sum + toInt64(receipt?.energy_usage_total), 0n)
  const header: RpcHeader = {
    // Sourced from the node.
    gasUsed: toQuantity(gasUsed),
    hash: toHash(block.blockID),
    logsBloom: bloomToHex(logsBloom(logs)),
    miner: toRpcAddress(witness_address),
    number: toQuantity(number),
    parentHash: toHash(parentHash),
    size: toQuantity(size),
    stateRoot: toHash(accountStateRoot),
    timestamp: toSeconds(timestamp),
    transactionsRoot: transactionsRoot(count, txTrieRoot),

    // No native counterpart.
    difficulty: '0x0',
    extraData: '0x',
    gasLimit: toQuantity(gasUsed > BLOCK_GAS_LIMIT ? gasUsed : BLOCK_GAS_LIMIT),
    mixHash: ZERO_HASH,
    nonce: '0x0000000000000000',
    receiptsRoot: ZERO_HASH,
    sha3Uncles: EMPTY_UNCLES_HASH,
    totalDifficulty: '0x0',

    ...block.ethereum,
  }
  return baseFeePerGas === undefined
    ? header
    : { baseFeePerGas: toQuantity(baseFeePerGas), ...header }
}

export declare namespace toRpcHeader {
  type Options = {
    /** Sun, as of the block's time. Without it the block announces no EIP-1559 fees. */
    baseFeePerGas?: bigint | undefined
    /** The logs of the block, if the caller has already mapped them. */
    logs?: readonly RpcLog[]
  }
}

/** The fields of each outcome that a header needs. */
type Outcome = Pick<TransactionInfo, 'id' | 'log'> & {
  receipt?: Pick<NonNullable<TransactionInfo['receipt']>, 'energy_usage_total'>
}

export declare namespace toOutlineHeader {
  type Options = toRpcHeader.Options & {
    /** Number of transactions. */
    count: number
    /** Bytes of the stored block. */
    size: number
  }
}

/** The root of a block. Tools expect this constant for a block without transactions, for which the node has zero. */
function transactionsRoot(count: number, txTrieRoot: string | undefined): Hex {
  return count === 0 ? EMPTY_TRIE_ROOT : toHash(txTrieRoot)
}
