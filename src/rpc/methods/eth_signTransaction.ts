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
    const { nonce: wanted } = transaction
    const request = { ...filled, nonce: wanted, spender: call.caller?.spender }
    const { hex, id, nonce } = await sending.sign(request)
    const raw: Hex = `0x${hex}`
    return { raw, tx: rpcFilled({ ...filled, nonce }, chain.id, id) }
  },
})
