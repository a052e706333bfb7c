import type { Transaction } from '../../native/wire/types.ts'
import { printInt } from '../contracts/printing.ts'
import { permissionRecord } from '../contracts/records.ts'
import { hex } from '../contracts/types.ts'
import { RefusedError } from '../state/errors.ts'
import { permissionOf, signWeight } from '../transactions/permissions.ts'
import { packTransaction, printTransaction } from '../transactions/transaction.ts'
import { checkContent } from './broadcast.ts'
import type { Call, Operations } from './operation.ts'
import { spell } from './spelling.ts'

function weigh(call: Call) {
  const { visible } = call.params
  const json = call.params.json as Transaction
  checkContent(json)
  const transaction = packTransaction({ ...json, visible })
  const owner = hex(transaction.value, 'owner_address')
  const inner = {
    result: { result: true },
    txid: transaction.id,
    transaction: printTransaction(transaction, json.ret, { visible }),
  }
  const permission = permissionOf(call.state, owner, transaction.permissionId)
  const failed = (message: string) => ({ inner, failure: { code: 'PERMISSION_ERROR', message } })
  if (!permission) return failed('Permission for this, does not exist!')
  try {
    return { inner, permission, ...signWeight(permission, transaction) }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    return failed(error.message)
  }
}

/** The operations that weigh signatures, for collecting those of several keys. */
export const signOperations: Operations = {
  getsignweight: {
    prefix: 'wallet',
    get: 'empty',
    run(call) {
      const { inner, ...found } = weigh(call)
      const { visible } = call.params
      if ('failure' in found) return { result: found.failure, transaction: inner }
      const { permission, signers, weight } = found
      return spell(
        {
          permission: permissionRecord.print(permission),
          ...(signers.length > 0 && { approved_list: signers }),
          ...(weight > 0n && { current_weight: printInt(weight) }),
          result: weight >= permission.threshold ? {} : { code: 'NOT_ENOUGH_PERMISSION' },
          transaction: inner,
        },
        visible,
      )
    },
  },

  getapprovedlist: {
    prefix: 'wallet',
    get: 'empty',
    run(call) {
      const { inner, ...found } = weigh(call)
      if ('failure' in found) return { result: found.failure, transaction: inner }
      return spell(
        {
          ...(found.signers.length > 0 && { approved_list: found.signers }),
          result: {},
          transaction: inner,
        },
        call.params.visible,
      )
    },
  },
}
