import { toData } from '../../codec/quantity.ts'
import { RpcError } from '../../lib/errors.ts'
import { transactionByHash } from '../../sending/alias.ts'
import { defineMethod, schemas } from '../method.ts'
import { hash, named } from '../params/params.ts'

export const ots_getTransactionError = defineMethod({
  params: [named('transactionHash', hash)],
  result: schemas.bytes,
  summary: 'revert data of a transaction; 0x when it has none',
  async handler({ chain, native, sending }, [asked], call) {
    const found = await transactionByHash(asked, { chain, call, sending })
    if (!found?.blockHash) throw new RpcError(-32000, 'transaction not found')
    const id = (await chain.transaction(asked, call)) ? asked : (await sending.find(asked))?.id
    const info = id && (await native.wallet.getTransactionInfoById({ value: id.slice(2) }, call))
    if (!info) throw new RpcError(-32000, 'transaction not found')
    return info.receipt?.result === 'REVERT' ? toData(info.contractResult?.[0]) : '0x'
  },
})
