import { callError } from '../../chain/state/vmError.ts'
import { BLOCK_GAS_LIMIT } from '../../codec/block.ts'
import { revertReason } from '../../codec/revert.ts'
import { SUN, WEI } from '../../codec/unit.ts'
import { ExecutionRevertedError, MethodNotSupportedError } from '../../lib/errors.ts'
import { splitException } from '../../native/errors.ts'
import type { Context, SimulatedMethod } from '../../rpc/context.ts'
import { type AnyMethod, callMethod } from '../../rpc/method.ts'
import { type Param, PLAIN } from '../../rpc/params/params.ts'
import type { ClientCall } from '../../rpc/request.ts'
import type { DevChain } from '../index.ts'
import { callMethods } from '../node/calls.ts'
import { accessListMethods } from '../node/createAccessList.ts'
import { type FailureOf, withRpcErrors } from '../node/failures.ts'
import { simulateMethods } from '../node/simulate.ts'
import { debugMethods } from '../node/trace/debug.ts'
import { callReplayMethods } from '../node/trace/replay.ts'

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
 * Answers a method of the simulator on a chain. The gateway converts the amounts that the schema of a result names.
 *
 * @param context - What the methods use of it.
 * @throws RpcError
 */
export async function answerOn(
  chain: DevChain,
  context: Pick<Context['config'], 'feeSignal'>,
  { method: name, params, unit }: SimulatedMethod,
): Promise<unknown> {
  const methods: Record<string, AnyMethod> = withRpcErrors(
    {
      ...callMethods(chain, failureOf),
      ...accessListMethods(chain),
      ...simulateMethods(chain, failureOf),
      ...debugMethods(chain),
      ...callReplayMethods(chain),
    },
    failureOf,
  )
  const method = methods[name]
  if (!method) throw new MethodNotSupportedError(name, 'it cannot be simulated')
  const decoders = method.params as readonly Param<unknown>[]
  const scope = { ...PLAIN, unit: unit === 'wei' ? WEI : SUN, mostGas: BLOCK_GAS_LIMIT }
  // The methods of a development chain use the chain itself, and only this of the gateway.
  const used = { chain: { view: 'full' }, config: context } as unknown as Context
  return (await callMethod(
    { ...method, params: decoders.map((decode) => (input: unknown) => decode(input, scope)) },
    used,
    params,
    {} as ClientCall,
  )) as unknown
}
