import { callError } from '../../chain/state/vmError.ts'
import { BLOCK_GAS_LIMIT } from '../../codec/block.ts'
import { revertReason } from '../../codec/revert.ts'
import { SUN, WEI } from '../../codec/unit.ts'
import type { Config } from '../../config/config.ts'
import { ExecutionRevertedError } from '../../lib/errors.ts'
import { splitException } from '../../native/errors.ts'
import type { SimulatedCall } from '../../rpc/execution/simulated.ts'
import type { DevChain } from '../index.ts'
import { devCalls } from '../node/calls.ts'
import { type FailureOf, throwingRpcErrors } from '../node/failures.ts'

/** The words for calls that a node runs, so that a client reads the same with and without overrides. */
const failureOf: FailureOf = ({ failure, output }) => {
  if (failure?.result === 'REVERT') {
    const data = `0x${Buffer.from(output).toString('hex')}` as const
    return new ExecutionRevertedError(data, revertReason(data))
  }
  const { exception, text } = splitException(`class ${failure?.exception} : ${failure?.message}`)
  return callError({ kind: 'failure', code: 'OTHER_ERROR', exception, message: text })
}

/**
 * Runs a call of the gateway on a chain.
 *
 * @throws RpcError
 */
export async function runOn(
  chain: DevChain,
  feeSignal: Config['feeSignal'],
  { asked, name, subject, unit }: SimulatedCall,
): Promise<unknown> {
  const options = { failureOf, feeSignal, mostGas: BLOCK_GAS_LIMIT, view: 'full' } as const
  const calls = throwingRpcErrors(devCalls(chain, options), failureOf)
  const run = calls[name] as (subject: unknown, asked: object) => Promise<unknown>
  return run(subject, { ...asked, call: {}, ref: 'latest', unit: unit === 'wei' ? WEI : SUN })
}
