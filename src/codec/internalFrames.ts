import type { Address, Hex } from 'viem'
import { numberToHex } from 'viem/utils'

import { toRpcAddress, toRpcAddressOrNull } from '../lib/address.ts'
import type { InternalTransaction, TransactionInfo } from '../native/wire/types.ts'
import type { CallFrame } from './callFrame.ts'
import { toData, toInt64, toQuantity } from './quantity.ts'
import { revertReason } from './revert.ts'
import type { RpcTransaction } from './types.ts'
import type { Unit } from './unit.ts'

/** The error of a call for which the chain records no reason, such as a failed inner call. */
const FAILED = 'execution failed'

/** Geth's texts for results of the chain's virtual machine. */
const WORDS: Readonly<Record<string, string>> = {
  REVERT: 'execution reverted',
  OUT_OF_ENERGY: 'out of gas',
  OUT_OF_TIME: 'execution timeout',
  BAD_JUMP_DESTINATION: 'invalid jump destination',
  ILLEGAL_OPERATION: 'invalid opcode',
  STACK_TOO_SMALL: 'stack underflow',
  STACK_TOO_LARGE: 'stack limit reached',
  OUT_OF_MEMORY: 'out of memory',
  PRECOMPILED_CONTRACT: 'precompiled contract failed',
  JVM_STACK_OVER_FLOW: 'max call depth exceeded',
  TRANSFER_FAILED: 'transfer failed',
  INVALID_CODE: 'invalid code: must not begin with 0xef',
  UNKNOWN: FAILED,
}

/** The kind of frame by the note of an internal transaction. Notes about stakes and votes are not frames. */
const KINDS: Readonly<Record<string, CallFrame['type']>> = {
  call: 'CALL',
  create: 'CREATE',
  suicide: 'SELFDESTRUCT',
}

/**
 * The frames of a transaction from a node's record, which has all fields of the outermost frame, and of inner frames the
 * kind, sender, receiver, value and whether they failed. The record does not distinguish kinds of calls, so each is a
 * `CALL`. The nesting follows from the addresses: a call belongs to the newest frame of its caller that it can belong to.
 */
export function frameOfRecord(
  transaction: RpcTransaction,
  info: TransactionInfo,
  unit: Unit,
): CallFrame {
  const { from, gas, input, to, value } = transaction
  const result = info.receipt?.result ?? (info.result === 'FAILED' ? 'FAILED' : 'SUCCESS')
  const error = result === 'SUCCESS' || result === 'DEFAULT' ? undefined : errorOf(result)
  const isCreation = to === null && input !== '0x'
  const receiver = isCreation ? (error ? null : toRpcAddressOrNull(info.contract_address)) : to
  const output = toData(info.contractResult?.[0])
  const hasOutput = output !== '0x' && (error === undefined || result === 'REVERT')
  const reason = result === 'REVERT' ? revertReason(output) : undefined
  const calls = nest(info, unit)
  return {
    from,
    gas,
    gasUsed: toQuantity(info.receipt?.energy_usage_total),
    ...(receiver && { to: receiver }),
    input,
    ...(hasOutput && { output }),
    ...(error !== undefined && { error }),
    ...(reason !== undefined && { revertReason: reason }),
    ...(calls.length > 0 && { calls }),
    value: inUnit(BigInt(value), unit),
    type: isCreation ? 'CREATE' : 'CALL',
  }
}

const errorOf = (result: string) => WORDS[result] ?? result.toLowerCase().replaceAll('_', ' ')

const inUnit = (sun: bigint, unit: Unit): Hex => numberToHex(unit.fromSun(sun))

/** A frame that may make further calls. */
type Open = { address: Address; frame: Pick<CallFrame, 'calls'>; hasFailed: boolean }

function nest(info: TransactionInfo, unit: Unit): CallFrame[] {
  const root: Open = {
    address: toRpcAddress(info.contract_address),
    frame: {},
    hasFailed: info.result === 'FAILED',
  }
  const open = [root]
  for (const entry of info.internal_transactions ?? []) {
    const type = KINDS[Buffer.from(entry.note ?? '', 'hex').toString()]
    if (!type) continue
    const caller = toRpcAddress(entry.caller_address)
    // A node marks all calls of a failed frame as rejected, so a call that is not rejected belongs to a frame that succeeded.
    const depth = open.findLastIndex(
      ({ address, hasFailed }) => address === caller && (entry.rejected === true || !hasFailed),
    )
    open.length = Math.max(depth, 0) + 1
    const parent = open.at(-1) ?? root
    // All frames inside a failed frame are rejected, so only the outermost has an error.
    const hasFailed = entry.rejected === true && !parent.hasFailed
    const frame = frameOf(entry, type, { caller, hasFailed, unit })
    ;(parent.frame.calls ??= []).push(frame)
    if (type !== 'SELFDESTRUCT')
      open.push({
        address: toRpcAddress(entry.transferTo_address),
        frame,
        hasFailed: hasFailed || parent.hasFailed,
      })
  }
  return root.frame.calls ?? []
}

function frameOf(
  { callValueInfo = [], transferTo_address }: InternalTransaction,
  type: CallFrame['type'],
  { caller, hasFailed, unit }: { caller: Address; hasFailed: boolean; unit: Unit },
): CallFrame {
  const coins = callValueInfo
    .filter(({ tokenId }) => tokenId === undefined)
    .reduce((sum, { callValue }) => sum + toInt64(callValue), 0n)
  return {
    from: caller,
    // A failed creation leaves no contract at the address.
    ...(!(hasFailed && type === 'CREATE') && { to: toRpcAddress(transferTo_address) }),
    ...(hasFailed && { error: FAILED }),
    value: inUnit(coins, unit),
    type,
  }
}
