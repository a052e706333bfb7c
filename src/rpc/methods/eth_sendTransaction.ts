import * as schemas from '../../codec/schemas.ts'
import { assertChain, assertManaged } from '../../sending/managed.ts'
import { defineMethod } from '../method.ts'
import { sendParam } from '../params/sendParam.ts'

export const eth_sendTransaction = defineMethod({
  params: [sendParam],
  result: schemas.hash,
  summary: 'signs and sends a native transaction with a managed account',
  fullOnly: true,
  async handler({ chain, sending }, [transaction], call) {
    assertManaged('eth_sendTransaction', transaction.from, { call, sending })
    assertChain(transaction, { chain })
    const { caller, signal } = call
    return sending.sendManaged({ ...transaction, signal, spender: caller?.spender })
  },
})
