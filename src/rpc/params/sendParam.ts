import type { Address, Hex } from 'viem'

import * as schemas from '../../codec/schemas.ts'
import type { Unit } from '../../codec/unit.ts'
import { isObject } from '../../lib/isObject.ts'
import { blankable, callData } from './callParam.ts'
import {
  address,
  amount,
  contractAddress,
  index,
  maybe,
  member,
  type Param,
  PLAIN,
  price as maxPrice,
  quantity,
  show,
} from './params.ts'

/** The transaction of `eth_sendTransaction` and similar methods. Amounts are in sun. */
export type SendParam = {
  from: Address
  to?: Address
  value: bigint
  data: Hex
  gas?: bigint
  /** `gasPrice`, or `maxFeePerGas` of an EIP-1559 request. */
  gasPrice?: bigint
  /** Which of the two was given; absent when neither was. */
  feeKind?: 'legacy' | 'eip1559'
  nonce?: number
  chainId?: bigint
  /** The unit in which the client gave its amounts. */
  unit: Unit
}

/** A transaction object. Access lists, tips and types are ignored, because they have no meaning on this chain. */
export const sendParam: Param<SendParam> = (input, scope = PLAIN) => {
  if (!isObject(input)) throw new Error(`expected a transaction object, got ${show(input)}`)
  const to = member(input, 'to', blankable(contractAddress), scope)
  const gas = member(input, 'gas', maybe(quantity)) ?? member(input, 'gasLimit', maybe(quantity))
  const gasPrice = member(input, 'gasPrice', maybe(maxPrice), scope)
  const maxFee = member(input, 'maxFeePerGas', maybe(maxPrice), scope)
  const price = gasPrice ?? maxFee
  const nonce = member(input, 'nonce', maybe(index))
  const chainId = member(input, 'chainId', maybe(quantity))
  return {
    from: member(input, 'from', address),
    ...(to && { to }),
    value: member(input, 'value', blankable(amount), scope) ?? 0n,
    data: callData(input),
    ...(gas !== undefined && { gas }),
    ...(price !== undefined && {
      gasPrice: price,
      feeKind: gasPrice === undefined ? 'eip1559' : 'legacy',
    }),
    ...(nonce !== undefined && { nonce }),
    ...(chainId !== undefined && { chainId }),
    unit: scope.unit,
  }
}
sendParam.doc = {
  name: 'transaction',
  schema: {
    title: 'transaction to send',
    type: 'object',
    required: ['from'],
    properties: {
      from: schemas.address,
      to: schemas.nullable(schemas.address),
      value: schemas.amount,
      data: schemas.bytes,
      input: schemas.bytes,
      gas: schemas.quantity,
      gasPrice: schemas.amount,
      maxFeePerGas: schemas.amount,
      maxPriorityFeePerGas: schemas.amount,
      nonce: schemas.quantity,
      chainId: schemas.quantity,
    },
  },
}
