import { contractTypes } from '../contracts/index.ts'
import type { ContractType } from '../contracts/types.ts'
import { isSmart } from '../execution/execute.ts'
import { RefusedError } from '../state/errors.ts'
import { slotOf } from '../state/resources.ts'
import { createOverlay } from '../state/state.ts'
import { buildTransaction, printTransaction } from '../transactions/transaction.ts'
import type { ChainTransaction } from '../transactions/transaction.ts'
import type { Call } from './operation.ts'
import { NodeError } from './request.ts'

/** Lifetime of a built transaction in milliseconds after the newest block. */
const LIFETIME = 60_000

/** The contract of a transaction to build: its type and the members of its message that are not empty. */
export type Content = { type: string; value: Record<string, unknown> }

/**
 * Builds a transaction as the node does: it is checked on the newest state with the pool, and its reference block is the
 * newest solidified one.
 *
 * @throws NodeError with the node's reason.
 */
export function build(
  call: Call,
  content: Content,
  options: { feeLimit?: bigint; check?: boolean } = {},
): ChainTransaction {
  const { ledger, params } = call
  const value = present(content.value)
  if (options.check !== false && !isSmart(content.type)) check(call, content.type, value)
  const reference = ledger.solid()
  const permissionId = Number(params.int('Permission_id'))
  const memo = params.has('extra_data') ? memoOf(params) : ''
  return buildTransaction({
    contract: { type: content.type, value, ...(permissionId > 0 && { permissionId }) },
    ref_block_bytes: reference.header.number.toString(16).padStart(16, '0').slice(-4),
    ref_block_hash: reference.id.slice(16, 32),
    expiration: ledger.head().header.timestamp + LIFETIME,
    timestamp: call.now(),
    ...(options.feeLimit && { feeLimit: options.feeLimit }),
    ...(memo && { memo }),
  })
}

function memoOf(params: Call['params']): string {
  const text = params.text('extra_data')
  return params.visible ? Buffer.from(text).toString('hex') : text
}

function check(call: Call, type: string, value: Record<string, unknown>): void {
  const contract = contractTypes[type] as ContractType
  const now = call.ledger.head().header.timestamp
  try {
    contract.validate({
      state: createOverlay(call.state),
      value,
      owner: (value['owner_address'] as string | undefined) ?? '',
      now,
      slot: slotOf(now),
      transactionId: '',
      building: true,
    })
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error
    throw new NodeError('org.tron.core.exception.ContractValidateException', error.message)
  }
}

/** A built transaction in the format of the node's builders. */
export function printBuilt(call: Call, transaction: ChainTransaction): unknown {
  const { visible } = call.params
  return { visible, ...printTransaction(transaction, undefined, { visible }) }
}

/** The members that are not defaults, which are those that protobuf writes. */
export function present(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).filter(
      ([, item]) =>
        item !== undefined &&
        item !== '' &&
        item !== 0n &&
        item !== 0 &&
        item !== false &&
        !(Array.isArray(item) && item.length === 0),
    ),
  )
}
