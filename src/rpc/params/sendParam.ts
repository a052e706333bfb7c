import * as schemas from '../../codec/schemas.ts'
import { isObject } from '../../lib/isObject.ts'
import { CALL_MEMBERS, callMembers, type CallRequest, EMPTY_LIST, hasMember } from './callParam.ts'
import { type Param, PLAIN, show } from './params.ts'

/** The transaction of `eth_sendTransaction` and similar methods. Its data keeps predicted addresses: signing replaces and records them. */
export const sendRequest: Param<CallRequest> = (input, scope = PLAIN) => {
  if (!isObject(input)) throw new Error(`expected a transaction object, got ${show(input)}`)
  if (Array.isArray(input['authorizationList']) && !hasMember(input, 'authorizationList'))
    throw new Error(EMPTY_LIST)
  const request = callMembers(input, { ...scope, inData: (data) => data })
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = request
  if (gasPrice !== undefined && (maxFeePerGas ?? maxPriorityFeePerGas) !== undefined)
    throw new Error('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  if (request.authorizationList) {
    if (!request.to) throw new Error('EIP-7702 transaction cannot be used to create contract')
    if (gasPrice !== undefined)
      throw new Error('expected maxFeePerGas with authorizationList, got gasPrice')
  }
  return request
}
sendRequest.doc = {
  name: 'transaction',
  schema: {
    title: 'transaction to send',
    type: 'object',
    properties: {
      ...CALL_MEMBERS,
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
