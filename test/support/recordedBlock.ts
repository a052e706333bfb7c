import type { LoadedBlock } from '../../src/chain/reads/load.ts'
import { parseNative } from '../../src/native/wire/json.ts'
import type { Block, TransactionInfo } from '../../src/native/wire/types.ts'
import { recordedNative } from './node.ts'
import { CHAIN, labels } from './recordedChain.ts'

/** Every height of the recorded chain. */
export const heights: readonly number[] = Array.from({ length: CHAIN.head + 1 }, (_, n) => n)

/** A block of the recorded chain with the outcomes of its transactions, as received from the node. */
export function recordedBlock(number: number): LoadedBlock {
  const block = parseNative(recordedNative('/wallet/getblockbynum', { num: number })) as Block
  const infos = parseNative(recordedNative('/wallet/gettransactioninfobyblocknum', { num: number }))
  return { block, infos: Array.isArray(infos) ? (infos as TransactionInfo[]) : [] }
}

/** Calls for a block of the recorded chain, its first transactions and its receipts. */
export function blockCalls(number: number): [method: string, params: unknown[]][] {
  const height = `0x${number.toString(16)}`
  const transactions = recordedBlock(number).block.transactions?.slice(0, 3) ?? []
  return [
    ['eth_getBlockByNumber', [height, false]],
    ['eth_getBlockByNumber', [height, true]],
    ['eth_getBlockReceipts', [height]],
    ...transactions.flatMap(({ txID }): [string, unknown[]][] => [
      ['eth_getTransactionByHash', [`0x${txID}`]],
      ['eth_getTransactionReceipt', [`0x${txID}`]],
    ]),
  ]
}

/** The block and index of the transaction with a label. @throws when it does not exist or is not in a block */
export function labelled(label: string): LoadedBlock & { number: number; index: number } {
  const id = labels.transactions.find((one) => one.label === label && one.accepted)?.id
  for (const number of heights) {
    const loaded = recordedBlock(number)
    const index = (loaded.block.transactions ?? []).findIndex(({ txID }) => txID === id)
    if (index >= 0) return { ...loaded, index, number }
  }
  throw new Error(`no transaction "${label}" in the recorded chain`)
}

/** Sun per energy that a block of the recorded chain pays. A vote raised the price once, after the block of this time. */
export function recordedPrice(time: number | undefined): bigint {
  return (time ?? 0) > 1_795_261_920_000 ? 210n : 100n
}
