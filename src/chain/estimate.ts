import { RpcError } from '../errors.ts'
import type { NativeClient } from '../native/client.ts'
import { type ConstantFailure, readFailure } from '../native/constantCall.ts'
import { NodeLacksApiError } from '../native/errors.ts'
import { assertFunds, type Call, runCall, toNativeCall } from './call.ts'
import { operationsAt, type StateRead } from './stateRead.ts'
import { callError, isAccountWithoutCode, lacksEstimates } from './vmError.ts'

/**
 * A plain transfer uses bandwidth and no energy. Wallets refuse an estimate below the intrinsic gas of an Ethereum
 * transaction, so that is what they get.
 */
const TRANSFER_GAS = 21_000n

/** A node that once said that it has no estimates is asked again after this time: it may have been reconfigured. */
const ASK_AGAIN_MS = 10 * 60_000

/**
 * Energy that a transaction needs: the node's own search for a sufficient limit where it has one, otherwise what the
 * simulation used, penalty included. 21,000 for a transfer to an account without code.
 *
 * @throws as `runCall`; also when more is needed than the network lets one transaction spend.
 */
export async function estimateGas(call: Call, state: StateRead): Promise<bigint> {
  const estimate = await askEstimate(call, state)
  if (typeof estimate === 'bigint') return neverZero(estimate)
  // The estimate says nothing of a revert but that it happened; the simulation tells its bytes.
  const result = await runCall(call, state).catch((error: unknown) => {
    throw isVmStop(error) && estimate ? (exceedsAllowance(estimate) ?? error) : error
  })
  if (!result) return TRANSFER_GAS
  const tooMuch = estimate && exceedsAllowance(estimate)
  if (tooMuch) throw tooMuch
  return neverZero(result.energy)
}

/** Code that uses no energy costs what a transfer does. */
function neverZero(energy: bigint): bigint {
  return energy > 0n ? energy : TRANSFER_GAS
}

/** The node's estimate; a failure when its search failed; undefined when it has no estimates. */
async function askEstimate(
  call: Call,
  state: StateRead,
): Promise<bigint | ConstantFailure | undefined> {
  const { native, signal } = state
  const operations = operationsAt(state)
  const body = toNativeCall(call)
  if (Date.now() < (withoutEstimates.get(native) ?? 0)) return undefined
  const answer = await operations.estimateEnergy(body, { signal }).catch((error: unknown) => {
    if (error instanceof NodeLacksApiError) return undefined
    throw error
  })
  const failure = answer && readFailure(answer.result)
  if (!answer || (failure && lacksEstimates(failure))) {
    withoutEstimates.set(native, Date.now() + ASK_AGAIN_MS)
    return undefined
  }
  if (!failure) return BigInt(answer.energy_required ?? 0)
  if (isAccountWithoutCode(failure)) {
    await assertFunds(call, state)
    return TRANSFER_GAS
  }
  if (failure.code === 'CONTRACT_VALIDATE_ERROR') throw callError(failure)
  return failure
}

/** Until when nodes without estimates are not asked for one. */
const withoutEstimates = new WeakMap<NativeClient, number>()

/** Geth’s error for a transaction that the network would not let spend enough; undefined for any other failure. */
function exceedsAllowance({ message }: ConstantFailure): RpcError | undefined {
  if (!message.startsWith('Not enough energy')) return undefined
  const limit = /curInvokeEnergyLimit\[(\d+)\]/.exec(message)?.[1]
  return new RpcError(-32000, `gas required exceeds allowance${limit ? ` (${limit})` : ''}`)
}

/** The simulation has a larger budget and stops for want of time where the estimate stops for want of energy. */
function isVmStop(error: unknown): boolean {
  return error instanceof RpcError && error.code === -32_000
}
