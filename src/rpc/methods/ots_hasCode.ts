import type { Address, Hex } from 'viem'

import type { BlockRef } from '../../codec/blockRef.ts'
import * as schemas from '../../codec/schemas.ts'
import type { Context } from '../context.ts'
import { defineMethod } from '../method.ts'
import { address, blockRef, optional } from '../params/params.ts'
import type { ClientCall } from '../request.ts'
import { eth_getCode } from './eth_getCode.ts'

/** Otterscan's question for code. @param codeOf - reads the code of an account at a block, `0x` where it has none */
export const hasCodeBy = (
  codeOf: (context: Context, who: Address, ref: BlockRef, call: ClientCall) => Hex | Promise<Hex>,
) =>
  defineMethod({
    params: [address, optional(blockRef, 'latest')],
    result: schemas.boolean,
    summary: 'whether an account has code',
    handler: async (context, [who, ref], call) => (await codeOf(context, who, ref, call)) !== '0x',
  })

export const ots_hasCode = hasCodeBy((context, who, ref, call) =>
  eth_getCode.handler(context, [who, ref], call),
)
