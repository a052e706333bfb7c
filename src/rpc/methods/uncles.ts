import type { Hex } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import type { Call } from '../../lib/call.ts'
import type { Context } from '../context.ts'
import { defineMethod, schemas } from '../method.ts'
import { blockRef, hash, index, named } from '../params/params.ts'

const SUMMARY = 'blocks have no uncles'

export const eth_getUncleByBlockHashAndIndex = defineMethod({
  params: [named('blockHash', hash), index],
  result: { type: 'null' },
  kind: 'fixed',
  summary: SUMMARY,
  handler: () => null,
})

export const eth_getUncleByBlockNumberAndIndex = defineMethod({
  params: [blockRef, index],
  result: { type: 'null' },
  kind: 'fixed',
  summary: SUMMARY,
  handler: () => null,
})

export const eth_getUncleCountByBlockHash = defineMethod({
  params: [named('blockHash', hash)],
  result: schemas.nullable(schemas.quantity),
  summary: SUMMARY,
  handler: (context, [blockHash], call) => countUncles(context, { blockHash }, call),
})

export const eth_getUncleCountByBlockNumber = defineMethod({
  params: [blockRef],
  result: schemas.nullable(schemas.quantity),
  summary: SUMMARY,
  handler: (context, [ref], call) => countUncles(context, ref, call),
})

async function countUncles({ chain }: Context, ref: BlockRef, call: Call): Promise<Hex | null> {
  return (await chain.resolve(ref, call)) ? '0x0' : null
}
