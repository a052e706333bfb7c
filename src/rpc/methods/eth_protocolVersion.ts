import { toQuantity } from '../../codec/quantity.ts'
import { defineMethod, schemas } from '../method.ts'

export const eth_protocolVersion = defineMethod({
  params: [],
  result: schemas.quantity,
  summary: 'block version in the header of the newest block',
  async handler({ native }, _, call) {
    const block = await native.wallet.getBlock({ detail: false }, call)
    return toQuantity(block?.block_header.raw_data.version ?? 0)
  },
})
