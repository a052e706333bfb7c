import type { Hex } from 'viem'

import { toRpcAddress } from '../../../lib/address.ts'
import type { Block } from '../../../native/wire/types.ts'
import { type Row, rowOf } from './row.ts'
import { createKept, lastBlock, type Source } from './source.ts'

/** A block in a list. Time in seconds. */
export type BlockRow = { number: number; time: number; producer: `0x${string}`; count: number }

/** The content of the start page. */
export type Home = {
  blocks: BlockRow[]
  transactions: Row[]
  head: number
  solid: number
  /** Price of a unit of energy, in the smallest unit of the coin. */
  energyPrice: bigint
}

/** Blocks and transactions on the start page. */
const SHOWN = 10

/** Blocks that are searched for the newest transactions. */
const SEARCHED = 30

/** Reads the start page. Readers who ask at the same head share one answer. */
export function createHomeReader() {
  const homes = createKept(1, (key, source) => {
    const [head = 0, solid = 0, last = 0] = key.split(' ').map(Number)
    return readHome(source, { head, last, solid })
  })

  return async function read(source: Source, before?: number): Promise<Home> {
    const [head, solid] = await Promise.all([source.head(), source.solid()])
    return homes(`${head} ${solid} ${lastBlock(before, head)}`, source)
  }
}

async function readHome(
  source: Source,
  { head, last, solid }: { head: number; last: number; solid: number },
): Promise<Home> {
  const [{ block: found = [] }, price] = await Promise.all([
    source.wallet.getBlockByLimitNext({
      startNum: Math.max(0, last - SEARCHED + 1),
      endNum: last + 1,
    }),
    source.ask<Hex>('eth_gasPrice'),
  ])
  const blocks = found.toReversed()
  const newest = blocks
    .filter(({ block_header }) => (block_header.raw_data.number ?? 0) > 0)
    .flatMap((block) =>
      (block.transactions ?? []).toReversed().map((transaction) => ({ block, transaction })),
    )
  return {
    blocks: blocks.slice(0, SHOWN).map(blockRow),
    transactions: await Promise.all(
      newest.slice(0, SHOWN).map(({ block, transaction }) => {
        const { number, time } = blockRow(block)
        return rowOf(transaction, { block: number, time }, source)
      }),
    ),
    head,
    solid,
    energyPrice: BigInt(price),
  }
}

function blockRow({ block_header: { raw_data }, transactions = [] }: Block): BlockRow {
  return {
    number: raw_data.number ?? 0,
    time: Math.floor((raw_data.timestamp ?? 0) / 1_000),
    producer: toRpcAddress(raw_data.witness_address),
    count: transactions.length,
  }
}
