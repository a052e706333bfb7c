import type { Hex } from 'viem'

import type { BlockRef } from '../codec/blockRef.ts'
import type { Context } from '../context.ts'
import { defineMethod } from '../jsonrpc/method.ts'
import { blockRef, hash, index } from '../jsonrpc/params.ts'

const SUMMARY = 'blocks have no uncles'

export const eth_getUncleByBlockHashAndIndex = defineMethod({
  params: [hash, index],
  kind: 'fixed',
  summary: SUMMARY,
  handler: () => null,
})

export const eth_getUncleByBlockNumberAndIndex = defineMethod({
  params: [blockRef, index],
  kind: 'fixed',
  summary: SUMMARY,
  handler: () => null,
})

export const eth_getUncleCountByBlockHash = defineMethod({
  params: [hash],
  summary: SUMMARY,
  handler: ({ chain }, [blockHash]) => countUncles(chain, { blockHash }),
})

export const eth_getUncleCountByBlockNumber = defineMethod({
  params: [blockRef],
  summary: SUMMARY,
  handler: ({ chain }, [ref]) => countUncles(chain, ref),
})

async function countUncles(chain: Context['chain'], ref: BlockRef): Promise<Hex | null> {
  return (await chain.resolve(ref)) ? '0x0' : null
}
