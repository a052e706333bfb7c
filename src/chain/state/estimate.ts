import { intrinsicGas } from '../../codec/intrinsicGas.ts'
import { RpcError } from '../../lib/errors.ts'
import type { NativeClient } from '../../native/client.ts'
import { type ConstantFailure, readFailure } from '../../native/constantCall.ts'
import { ifServed } from '../../native/errors.ts'
import { assertFunds, type Call, runCall, toNativeCall } from './call.ts'
import { operationsAt, type StateRead } from './stateRead.ts'
import { callError, isAccountWithoutCode, isUnclearRefusal, lacksEstimates } from './vmError.ts'

/** Milliseconds until the gateway asks a node without estimates again. An operator may have reconfigured it. */
const ASK_AGAIN_MS = 10 * 60_000

/**
 * Energy that a transaction needs: the node's estimate if it offers estimates, otherwise the energy that the simulation
 * used, penalty included. Never less than the intrinsic gas of an Ethereum transaction, because clients refuse to sign
 * with less. So a transfer to an account without code, which uses no energy, needs 21,000.
 *
 * @param run - runs the call, if the caller has the result of `runCall` already.
 * @throws as `runCall`; also when the transaction needs more than the network lets one transaction spend.
 */
export async function estimateGas(
  call: Call,
  state: StateRead,
  run = () => runCall(call, state),
): Promise<bigint> {
  const estimate = await askEstimate(call, state)
  if (typeof estimate === 'bigint') return atLeastIntrinsic(estimate, call)
  // A failed estimate lacks the revert data. The simulation has it.
  const result = await run().catch((error: unknown) => {
    throw isVmStop(error) && estimate ? (exceedsAllowance(estimate) ?? error) : error
  })
  const tooMuch = estimate && exceedsAllowance(estimate)
  if (tooMuch) throw tooMuch
  return atLeastIntrinsic(result?.energy ?? 0n, call)
}

function atLeastIntrinsic(energy: bigint, call: Call): bigint {
  const least = intrinsicGas(call)
  return energy > least ? energy : least
}

/** The node's estimate; a failure if the estimate failed; undefined if the node offers no estimates. */
async function askEstimate(
  call: Call,
  state: StateRead,
): Promise<bigint | ConstantFailure | undefined> {
  const { native } = state
  const operations = operationsAt(state)
  const body = toNativeCall(call)
  if (performance.now() < (withoutEstimates.get(native) ?? 0)) return undefined
  const answer = await ifServed(operations.estimateEnergy(body, state.call))
  const failure = answer && readFailure(answer.result)
  if (!answer || (failure && lacksEstimates(failure))) {
    withoutEstimates.set(native, performance.now() + ASK_AGAIN_MS)
    return undefined
  }
  if (!failure) return BigInt(answer.energy_required ?? 0)
  // It may be of this call or of all: the simulation of the call says more.
  if (isUnclearRefusal(failure)) return undefined
  if (isAccountWithoutCode(failure)) {
    await assertFunds(call, state)
    return 0n
  }
  if (failure.code === 'CONTRACT_VALIDATE_ERROR') throw callError(failure)
  return failure
}

/** For nodes without estimates: the time, in milliseconds, before which the gateway does not ask them again. */
const withoutEstimates = new WeakMap<NativeClient, number>()

/** Geth’s error for a transaction that needs more than the network lets it spend; undefined for any other failure. */
function exceedsAllowance({ message }: ConstantFailure): RpcError | undefined {
  if (!message.startsWith('Not enough energy')) return undefined
  const limit = /curInvokeEnergyLimit\[(\d+)\]/.exec(message)?.[1]
  return new RpcError(-32000, `gas required exceeds allowance${limit ? ` (${limit})` : ''}`)
}

/** The simulation has a larger energy limit: it reaches the time limit where the estimate runs out of energy. */
function isVmStop(error: unknown): boolean {
  return error instanceof RpcError && error.code === -32000
}
