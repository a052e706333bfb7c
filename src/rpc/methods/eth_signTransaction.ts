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
  async handler({ chain, sending }, [transaction], call) {
    assertManaged('eth_signTransaction', transaction.from, { call, sending })
    assertChain(transaction, { chain })
    const filled = await sending.fill(transaction)
    const { hex, id } = await sending.sign({ ...filled, spender: call.caller?.spender })
    const raw: Hex = `0x${hex}`
    return { raw, tx: rpcFilled(filled, chain.id, id) }
  },
})
