import type { Hex } from 'viem'

import { panicCode, revertReason } from '../../codec/revert.ts'
import { RpcError } from '../../lib/errors.ts'
import type { AnyMethod } from '../../rpc/method.ts'
import {
  type Artifacts,
  type ChainBlock,
  type DevChain,
  type EmptyRevert,
  EstimateFailure,
  EthereumError,
  ForkError,
  RefusedError,
  ReplayError,
  runFetching,
  TracerError,
  TraceSizeError,
  TraceTimeoutError,
  type VmResult,
} from '../index.ts'
import { emptyRevertText } from './emptyRevertText.ts'

/** Makes the error of a call that failed: in the words of development tools, or in those of the chain. */
export type FailureOf = (result: VmResult) => RpcError

/**
 * The error for a failed call: code `3` with the revert data, or `-32000` with the reason. Both have data, as on Hardhat and
 * anvil, because matchers of tests take an error without data for a failure of the node.
 */
export function callFailure({ failure, output }: VmResult, artifacts: Artifacts): RpcError {
  const { emptyRevert, message = '', result } = failure ?? {}
  const data: Hex = result === 'REVERT' ? `0x${Buffer.from(output).toString('hex')}` : '0x'
  return result === 'REVERT'
    ? new RpcError(3, revertText(data, artifacts, emptyRevert), { data })
    : new RpcError(-32000, haltText(result, message), { data })
}

/** The error for a transaction that failed in its block. */
export function transactionFailure(
  info: ChainBlock['infos'][number],
  { artifacts, ledger }: Pick<DevChain, 'artifacts' | 'ledger'>,
): RpcError {
  const { contractResult = [], id, receipt, resMessage = '' } = info
  const hasReverted = receipt?.result === 'REVERT'
  const data: Hex = hasReverted ? `0x${contractResult[0] ?? ''}` : '0x'
  const message = hasReverted
    ? revertText(data, artifacts, ledger.notesOf(info).emptyRevert)
    : haltText(receipt?.result, Buffer.from(resMessage, 'hex').toString())
  return new RpcError(hasReverted ? 3 : -32000, message, {
    data: { message, txHash: `0x${id}`, data },
  })
}

const VM_EXCEPTION = 'VM Exception while processing transaction:'

/** Hardhat’s words for revert data, which matchers of tests read. */
function revertText(data: Hex, artifacts: Artifacts, emptyRevert?: EmptyRevert): string {
  if (data === '0x') return `Transaction reverted${emptyRevertText(emptyRevert, artifacts)}`
  const code = panicCode(data)
  if (code !== undefined) {
    const hex = code.toString(16)
    const meaning = PANICS[hex]
    return `${VM_EXCEPTION} reverted with panic code 0x${hex} (${meaning ?? 'unknown panic code'})`
  }
  const reason = revertReason(data)
  if (reason !== undefined) return `${VM_EXCEPTION} reverted with reason string '${reason}'`
  const error = artifacts.describeError(data)
  return error === undefined
    ? `${VM_EXCEPTION} reverted with an unrecognized custom error (return data: ${data})`
    : `${VM_EXCEPTION} reverted with custom error '${error}'`
}

/** Hardhat’s words for the codes of Solidity’s `Panic`. */
const PANICS: Partial<Record<string, string>> = {
  '1': 'Assertion error',
  '11': 'Arithmetic operation overflowed outside of an unchecked block',
  '12': 'Division or modulo division by zero',
  '21': 'Tried to convert a value into an enum, but the value was too big or negative',
  '22': 'Incorrectly encoded storage byte array',
  '31': '.pop() was called on an empty array',
  '32': 'Array accessed at an out-of-bounds or negative index',
  '41': 'Too much memory was allocated, or an array was created that is too large',
  '51': 'Called a zero-initialized variable of internal function type',
}

/** The text for a failure other than a revert: Hardhat’s or Ethereum’s name for it, then the text of the chain. */
function haltText(result: string | undefined, message: string): string {
  if (result === 'OUT_OF_ENERGY') return `Transaction ran out of gas: ${message}`
  const name = HALTS[result ?? '']
  return `${VM_EXCEPTION} ${name ? `${name}: ` : ''}${message}`
}

const HALTS: Partial<Record<string, string>> = {
  BAD_JUMP_DESTINATION: 'invalid jump destination',
  ILLEGAL_OPERATION: 'invalid opcode',
  OUT_OF_TIME: 'execution timed out',
  PRECOMPILED_CONTRACT: 'precompiled contract failed',
  STACK_TOO_LARGE: 'stack limit reached',
  STACK_TOO_SMALL: 'stack underflow',
}

/**
 * Turns the chain's errors into JSON-RPC errors. A handler runs again after a value of a forked chain was fetched, so it must
 * change the chain only through methods that fetch these values themselves.
 */
export function withRpcErrors(
  methods: Record<string, AnyMethod>,
  failureOf: FailureOf,
): Record<string, AnyMethod> {
  return Object.fromEntries(
    Object.entries(methods).map(([name, method]) => [
      name,
      { ...method, ...throwingRpcErrors({ handler: method.handler }, failureOf) },
    ]),
  )
}

/** The same functions with JSON-RPC errors. They run again as the handlers of `withRpcErrors`. */
export function throwingRpcErrors<functions extends Record<string, (...args: never[]) => unknown>>(
  functions: functions,
  failureOf: FailureOf,
): functions {
  return Object.fromEntries(
    Object.entries(functions).map(([name, run]) => [
      name,
      async (...args: never[]) => {
        try {
          return await runFetching(async () => run(...args))
        } catch (error) {
          throw toRpcError(error, failureOf)
        }
      },
    ]),
  ) as functions
}

/** Errors whose message is sent to the client. */
const PUBLIC_ERRORS = [
  EthereumError,
  ForkError,
  RefusedError,
  ReplayError,
  TracerError,
  TraceSizeError,
  TraceTimeoutError,
]

function toRpcError(error: unknown, failureOf: FailureOf): unknown {
  if (error instanceof EstimateFailure)
    return error.result.failure?.result === 'OUT_OF_ENERGY'
      ? new RpcError(-32000, `gas required exceeds allowance (${error.limit})`)
      : failureOf(error.result)
  if (PUBLIC_ERRORS.some((kind) => error instanceof kind))
    return new RpcError(-32000, (error as Error).message, { cause: error })
  return error
}
