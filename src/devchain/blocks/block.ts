import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { sha256 } from '@noble/hashes/sha2.js'

import { toBase58 } from '../../lib/base58.ts'
import type { Spelling } from '../../native/protobuf/message.ts'
import { signHash } from '../../native/protobuf/signature.ts'
import type { Block, TransactionInfo, TransactionResult } from '../../native/wire/types.ts'
import type { BalanceChange } from '../execution/execution.ts'
import { printTransaction, transactionBytes } from '../transactions/transaction.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import { type BlockContext, randomOf } from '../vm/blockContext.ts'
import { forkMembers } from './forkMembers.ts'

/** The content of a block header. Times are milliseconds, bytes hex. */
export type Header = {
  number: number
  timestamp: number
  txTrieRoot: string
  parentHash: string
  /** 42 hex characters; on genesis the hex of ASCII text. */
  witness: string
  version: number
  /**
   * Only in the first block after others were undone: a number of its own, so that its hash differs from those of the undone
   * ones. They can have the same transactions at the same time, but on a state that a tool has changed.
   */
  accountStateRoot?: string
}

/** A block with the records of its transactions. */
export type ChainBlock = {
  id: string
  header: Header
  /** Empty on genesis. */
  signature: string
  transactions: {
    transaction: ChainTransaction
    results: TransactionResult[]
    balances: BalanceChange[]
  }[]
  infos: TransactionInfo[]
  /** What the header does not have: values that tools chose, and the hardfork and the base fee where blocks have them. */
  seen?: Partial<
    Pick<BlockContext, 'baseFee' | 'chainId' | 'gasLimit' | 'hardfork' | 'prevRandao' | 'producer'>
  >
}

/** Version number in the headers. */
export const BLOCK_VERSION = 32

function headerBytes(header: Header): Uint8Array {
  const writer = new BinaryWriter()
  if (header.timestamp !== 0) writer.tag(1, WireType.Varint).int64(header.timestamp)
  writer.tag(2, WireType.LengthDelimited).bytes(Buffer.from(header.txTrieRoot, 'hex'))
  writer.tag(3, WireType.LengthDelimited).bytes(Buffer.from(header.parentHash, 'hex'))
  if (header.number !== 0) writer.tag(7, WireType.Varint).int64(header.number)
  writer.tag(9, WireType.LengthDelimited).bytes(Buffer.from(header.witness, 'hex'))
  if (header.version !== 0) writer.tag(10, WireType.Varint).int32(header.version)
  if (header.accountStateRoot !== undefined)
    writer.tag(11, WireType.LengthDelimited).bytes(Buffer.from(header.accountStateRoot, 'hex'))
  return writer.finish()
}

/** The Merkle root of no transactions. */
export const EMPTY_ROOT = '00'.repeat(32)

/** The Merkle root of the transactions with signatures and results. An odd last node moves up without a hash. */
function merkleRoot(leaves: readonly Uint8Array[]): string {
  let level: Uint8Array[] = leaves.map((leaf) => sha256(leaf))
  if (level.length === 0) return EMPTY_ROOT
  while (level.length > 1) {
    const next: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] as Uint8Array
      const right = level[i + 1]
      next.push(right ? sha256(Buffer.concat([left, right])) : left)
    }
    level = next
  }
  return Buffer.from(level[0] as Uint8Array).toString('hex')
}

/** The id of a block: its number, and the end of a hash in hex. */
export const idOf = (number: number, hash: string) =>
  number.toString(16).padStart(16, '0') + hash.slice(16)

/**
 * Seals a block: computes its root and its id, which consists of its number and the hash of its header.
 *
 * @param id - The id of a block whose header was not hashed.
 */
export function sealBlock(
  header: Omit<Header, 'txTrieRoot'>,
  content: Pick<ChainBlock, 'transactions' | 'infos' | 'seen'>,
  key?: string,
  id?: string,
): ChainBlock {
  const leaves = content.transactions.map(({ transaction, results }) =>
    transactionBytes(transaction, results),
  )
  const sealed: Header = { txTrieRoot: merkleRoot(leaves), ...header }
  const hash = Buffer.from(sha256(headerBytes(sealed))).toString('hex')
  let signature: string | undefined
  return {
    id: id ?? idOf(header.number, hash),
    header: sealed,
    // Computed at the first read: signing takes longer than the rest of an empty block, and few clients read it.
    get signature() {
      return (signature ??= key ? signHash(hash, key) : '')
    },
    ...content,
  }
}

/** Stands for a signature that is not computed. It has the same length, because the size of a block includes it. */
const UNSIGNED = '00'.repeat(65)

/** A block in the node's format. `isUnsigned` prints zeros instead of its signature. */
export function printBlock(
  block: ChainBlock,
  detail: boolean,
  { isUnsigned = false, ...spelling }: Spelling & { isUnsigned?: boolean } = {},
): Block {
  const { header } = block
  const signature = isUnsigned && header.number !== 0 ? UNSIGNED : block.signature
  const isAddress = header.witness.length === 42
  const raw_data = {
    txTrieRoot: header.txTrieRoot,
    witness_address: spelling.visible && isAddress ? toBase58(header.witness) : header.witness,
    parentHash: header.parentHash,
    ...(header.version !== 0 && { version: header.version }),
    ...(header.timestamp !== 0 && { timestamp: header.timestamp }),
    ...(header.accountStateRoot !== undefined && { accountStateRoot: header.accountStateRoot }),
  }
  return {
    blockID: block.id,
    block_header: {
      raw_data: header.number === 0 ? raw_data : { number: header.number, ...raw_data },
      ...(signature !== '' && { witness_signature: signature }),
    },
    ...(detail &&
      block.transactions.length > 0 && {
        transactions: block.transactions.map(({ transaction, results }) =>
          printTransaction(transaction, header.number === 0 ? undefined : results, spelling),
        ),
      }),
    ...printSeen(header.number, block.seen),
  }
}

/** The values that tools chose for a block, and the members of its hardfork, as Ethereum names them. */
function printSeen(number: number, seen: ChainBlock['seen'] = {}) {
  const { gasLimit, hardfork, producer } = seen
  const prevRandao = seen.prevRandao ?? randomOf({ hardfork, number })
  if (gasLimit === undefined && !hardfork && !prevRandao && !producer) return {}
  const ethereum = {
    ...(hardfork && forkMembers(hardfork)),
    ...(gasLimit !== undefined && { gasLimit: `0x${gasLimit.toString(16)}` as const }),
    ...(producer && { miner: `0x${producer.slice(2)}` as const }),
    ...(prevRandao && { mixHash: `0x${prevRandao}` as const }),
  }
  return { ethereum }
}
