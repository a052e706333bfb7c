import type { Hex } from 'viem'

import * as schemas from '../../codec/schemas.ts'
import { assertChain, assertManaged } from '../../sending/managed.ts'
import { rpcFilled } from '../../sending/rpcFilled.ts'
import { defineMethod } from '../method.ts'
import { sendParam } from '../params/sendParam.ts'

export const eth_signTransaction = defineMethod({
  params: [sendParam],
  result: schemas.filled,
  summary:
    'signs a transaction with a managed account; returns native bytes for eth_sendRawTransaction',
  fullOnly: true,
  async handler({ chain, request, sending }, [transaction]) {
    assertManaged('eth_signTransaction', transaction.from, { request, sending })
    assertChain(transaction, { chain })
    const filled = await sending.fill(transaction)
    const { hex, id } = await sending.sign({ ...filled, spender: request.caller?.spender })
    const raw: Hex = `0x${hex}`
    return { raw, tx: rpcFilled(filled, chain.id, id) }
  },
})
