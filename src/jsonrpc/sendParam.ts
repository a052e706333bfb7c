import type { Address, Hex } from 'viem'

import * as schemas from '../codec/schemas.ts'
import { blankable, callData } from './callParam.ts'
import { address, isObject, maybe, member, type Param, quantity, show } from './params.ts'

/** What `eth_sendTransaction` and its kin are asked to send. Amounts in sun. */
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
}

/** A transaction object. Access lists, tips and types are ignored: they mean nothing on this chain. */
export const sendParam: Param<SendParam> = (input) => {
  if (!isObject(input)) throw new Error(`expected a transaction object, got ${show(input)}`)
  const to = member(input, 'to', blankable(address))
  const gas = member(input, 'gas', maybe(quantity)) ?? member(input, 'gasLimit', maybe(quantity))
  const gasPrice = member(input, 'gasPrice', maybe(quantity))
  const maxFee = member(input, 'maxFeePerGas', maybe(quantity))
  const price = gasPrice ?? maxFee
  const nonce = member(input, 'nonce', maybe(quantity))
  const chainId = member(input, 'chainId', maybe(quantity))
  return {
    from: member(input, 'from', address),
    ...(to && { to }),
    value: member(input, 'value', blankable(quantity)) ?? 0n,
    data: callData(input),
    ...(gas !== undefined && { gas }),
    ...(price !== undefined && {
      gasPrice: price,
      feeKind: gasPrice === undefined ? 'eip1559' : 'legacy',
    }),
    ...(nonce !== undefined && { nonce: Number(nonce) }),
    ...(chainId !== undefined && { chainId }),
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
      value: schemas.quantity,
      data: schemas.bytes,
      input: schemas.bytes,
      gas: schemas.quantity,
      gasPrice: schemas.quantity,
      maxFeePerGas: schemas.quantity,
      maxPriorityFeePerGas: schemas.quantity,
      nonce: schemas.quantity,
      chainId: schemas.quantity,
    },
  },
}
