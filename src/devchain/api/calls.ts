import { keccak_256 } from '@noble/hashes/sha3.js'

import { withoutZeros, printInternal, printLog } from '../contracts/printing.ts'
import { runSmart, type SmartResult } from '../contracts/smart.ts'
import { RefusedError } from '../state/errors.ts'
import { parameter } from '../state/parameters.ts'
import { COIN, slotOf } from '../state/resources.ts'
import { createOverlay } from '../state/state.ts'
import { type ChainTransaction, printTransaction } from '../transactions/transaction.ts'
import { build, present, printBuilt } from './build.ts'
import type { Call, Operations } from './operation.ts'
import { NodeError } from './request.ts'
import { spell } from './spelling.ts'

/** Maximum energy of one constant call. */
const MAX_ENERGY = 100_000_000n

/** Time limit of a constant call in milliseconds. The node has about 80; this machine may be slower. */
const TIMEOUT = 1_000

const PARAMETER = 'java.security.InvalidParameterException'

const hexOf = (text: string) => Buffer.from(text).toString('hex')

/** The body for a call that cannot run: code, and the reason in hex. */
const failed = (code: string, message: string, visible: boolean) => ({
  result: { code, message: visible ? message : hexOf(message) },
})

/** The body for a call that ended with an exception of the node. */
const thrown = (className: string, message: string, visible: boolean) =>
  failed('OTHER_ERROR', `class ${className} : ${message.replaceAll('"', "'")}`, visible)

const unread = (error: NodeError, visible = false) =>
  thrown(error.className, error.message, visible)

/** Runs an operation whose errors are part of the answer instead of an error body. */
async function answer(call: Call, work: () => unknown): Promise<unknown> {
  try {
    return await work()
  } catch (error) {
    const { visible } = call.params
    if (error instanceof RefusedError)
      return failed('CONTRACT_VALIDATE_ERROR', error.message, visible)
    if (error instanceof NodeError) return unread(error, visible)
    throw error
  }
}

function callData(call: Call): string {
  const { params } = call
  const selector = params.text('function_selector')
  if (selector === '') return params.hex('data')
  const hash = Buffer.from(keccak_256(Buffer.from(selector))).toString('hex')
  return hash.slice(0, 8) + params.text('parameter')
}

/** The requested call or creation as an unsent transaction. */
function transactionOf(call: Call, feeLimit = 0n): ChainTransaction {
  const { params } = call
  const owner = params.hex('owner_address', 'address')
  const to = params.hex('contract_address', 'address')
  const data = callData(call)
  const callValue = params.int('call_value')
  const token = {
    call_token_value: params.int('call_token_value'),
    token_id: params.int('token_id'),
  }
  if (to === '')
    return build(call, {
      type: 'CreateSmartContract',
      value: {
        owner_address: owner,
        ...token,
        new_contract: present({
          origin_address: owner,
          bytecode: data,
          call_value: callValue,
          consume_user_resource_percent: 100,
          origin_energy_limit: 1,
        }),
      },
    })
  return build(
    call,
    {
      type: 'TriggerSmartContract',
      value: { owner_address: owner, contract_address: to, call_value: callValue, data, ...token },
    },
    { feeLimit },
  )
}

function checkConstant({ params }: Call): void {
  if (params.text('owner_address') === '')
    throw new NodeError(PARAMETER, "owner_address isn't set.")
  if (params.text('contract_address') !== '') return
  const selector = params.text('function_selector')
  const data = params.text('data')
  if (data === '')
    throw new NodeError(PARAMETER, 'At least one of contract_address and data must be set.')
  if (selector !== '')
    throw new NodeError(
      PARAMETER,
      'While trying to deploy, function_selector and data can not be both set.',
    )
}

function run(call: Call, transaction: ChainTransaction, energy: bigint): Promise<SmartResult> {
  const { newest, ledger } = call
  const { number, timestamp, witness } = newest.header
  return runSmart(
    createOverlay(call.state),
    {
      type: transaction.type as 'TriggerSmartContract',
      value: transaction.value,
      owner: (transaction.value['owner_address'] as string | undefined) ?? '',
      feeLimit: 0n,
      transactionId: transaction.id,
      now: timestamp,
      slot: slotOf(timestamp),
      block: {
        number,
        timestamp,
        producer: witness.slice(0, 42),
        chainId: ledger.chainId(),
        hashOf: (height) => ledger.block(height)?.id,
      },
    },
    { energy, timeout: TIMEOUT },
  )
}

function checkContract(call: Call): void {
  const to = call.params.hex('contract_address', 'address')
  if (to !== '' && !call.state.get('contract', to))
    throw new RefusedError('CONTRACT_VALIDATE_ERROR', 'Smart contract is not exist.')
}

/** Runs a constant call and prints its result. */
async function constantCall(call: Call, transaction: ChainTransaction): Promise<unknown> {
  const { visible } = call.params
  const result = await run(call, transaction, MAX_ENERGY)
  const { failure } = result
  if (result.printed.length > 0) call.onPrinted(result.printed)
  if (failure?.exception) return thrown(failure.exception, failure.message, visible)
  return {
    result: {
      result: true,
      ...(failure && { message: visible ? failure.message : hexOf(failure.message) }),
    },
    ...withoutZeros({ energy_used: result.energyUsed }),
    constant_result: [Buffer.from(result.output).toString('hex')],
    ...(result.logs.length > 0 && { logs: result.logs.map(printLog) }),
    ...(result.internal.length > 0 && {
      internal_transactions: spell(result.internal.map(printInternal), visible),
    }),
    transaction: {
      ...printTransaction(transaction, [failure ? { ret: 'FAILED' } : {}], { visible }),
      visible,
    },
  }
}

/**
 * The node's search for a sufficient fee limit: it doubles the cost of the first run, then halves the interval down to one
 * coin. The result can be far above the used energy.
 */
async function estimate(call: Call): Promise<unknown> {
  checkConstant(call)
  checkContract(call)
  const { visible } = call.params
  const price = parameter(call.state, 'getEnergyFee')
  const max = parameter(call.state, 'getMaxFeeLimit')
  const transaction = transactionOf(call)
  const at = (feeLimit: bigint) => {
    const energy = feeLimit / price
    return run(call, transaction, energy < MAX_ENERGY ? energy : MAX_ENERGY)
  }
  const first = await at(max)
  if (first.failure?.result === 'OUT_OF_TIME')
    return failed(
      'OTHER_ERROR',
      `class ${first.failure.exception} : ${first.failure.message}`,
      visible,
    )
  if (first.failure) return failed('CONTRACT_EXE_ERROR', first.failure.message, visible)
  let low = price * first.energyUsed
  let high = max
  if (low * 2n < high) {
    if ((await at(low * 2n)).failure) low *= 2n
    else high = low * 2n
  }
  while (low + COIN < high) {
    const middle = (low + high) / 2n
    if ((await at(middle)).failure) low = middle
    else high = middle
  }
  return {
    result: { result: true },
    ...withoutZeros({ energy_required: BigInt(Math.ceil(Number(high) / Number(price))) }),
  }
}

/** Whether the ABI of a contract marks the called function as pure or view. */
function isConstant(call: Call, to: string, data: string): boolean {
  const entries = (call.state.get('contract', to)?.abi ?? []) as {
    type?: string
    name?: string
    constant?: boolean
    stateMutability?: string
    inputs?: { type?: string }[]
  }[]
  const entry = entries.find((entry) => {
    if (entry.type !== 'Function') return false
    const signature = `${entry.name}(${(entry.inputs ?? []).map(({ type }) => type).join(',')})`
    return (
      Buffer.from(keccak_256(Buffer.from(signature)))
        .toString('hex')
        .slice(0, 8) === data.slice(0, 8)
    )
  })
  return (
    entry !== undefined &&
    (entry.constant === true ||
      entry.stateMutability === 'View' ||
      entry.stateMutability === 'Pure')
  )
}

/** The operations that call contracts. */
export const callOperations: Operations = {
  triggerconstantcontract: {
    get: 'empty',
    strict: true,
    unreadable: unread,
    run: (call) =>
      answer(call, () => {
        checkConstant(call)
        checkContract(call)
        return constantCall(call, transactionOf(call))
      }),
  },

  estimateenergy: {
    get: 'empty',
    strict: true,
    unreadable: unread,
    run: (call) => answer(call, () => estimate(call)),
  },

  triggersmartcontract: {
    prefix: 'wallet',
    get: 'empty',
    strict: true,
    unreadable: unread,
    run: (call) =>
      answer(call, () => {
        const { params } = call
        if (params.text('owner_address') === '')
          throw new NodeError(PARAMETER, "owner_address isn't set.")
        if (params.text('contract_address') === '')
          throw new NodeError(PARAMETER, "contract_address isn't set.")
        const to = params.hex('contract_address', 'address')
        const transaction = transactionOf(call, params.int('fee_limit'))
        if (!call.state.get('contract', to))
          throw new RefusedError(
            'CONTRACT_VALIDATE_ERROR',
            'No contract or not a valid smart contract',
          )
        if (isConstant(call, to, (transaction.value['data'] as string | undefined) ?? ''))
          return constantCall(call, transaction)
        return { result: { result: true }, transaction: printBuilt(call, transaction) }
      }),
  },
}
