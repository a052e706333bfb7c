import type { Hash, Hex } from 'viem'

import { heightOfHash } from '../../../codec/blockRef.ts'
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

/** Reads the start page. Readers who ask at the same newest block share one answer. */
export function createHomeReader() {
  const homes = createKept(1, (key, source) => {
    const [newest = '', solid, last] = key.split(' ')
    return readHome(source, { last: Number(last), newest: newest as Hash, solid: Number(solid) })
  })

  return async function read(source: Source, before?: number): Promise<Home> {
    const [{ hash, number }, solid] = await Promise.all([
      source.ask<{ hash: Hash; number: Hex }>('eth_getBlockByNumber', 'latest', false),
      source.solid(),
    ])
    return homes(`${hash} ${solid} ${lastBlock(before, Number(number))}`, source)
  }
}

async function readHome(
  source: Source,
  { last, newest: hash, solid }: { last: number; newest: Hash; solid: number },
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
    hash,
    head: heightOfHash(hash),
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
