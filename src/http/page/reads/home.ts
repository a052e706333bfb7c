import type { Hex } from 'viem'

import { toRpcAddress } from '../../../lib/address.ts'
import type { Block } from '../../../native/wire/types.ts'
import { rowOf } from './row.ts'
import { createKept, lastBlock, type Source } from './source.ts'

/** The content of the start page. */
export type Home = Awaited<ReturnType<typeof readHome>>

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
) {
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
    // Of a unit of energy, in the smallest unit of the coin.
    energyPrice: BigInt(price),
  }
}

/** A block in a list. Time in seconds. */
function blockRow({ block_header: { raw_data }, transactions = [] }: Block) {
  return {
    number: raw_data.number ?? 0,
    time: Math.floor((raw_data.timestamp ?? 0) / 1_000),
    producer: toRpcAddress(raw_data.witness_address),
    count: transactions.length,
  }
}
