import type { BlockRef } from '../../codec/blockRef.ts'
import { type Unit, WEI } from '../../codec/unit.ts'
import { HistoricalStateError, MethodNotSupportedError, RpcError } from '../../lib/errors.ts'
import { UnauthorizedError } from '../../limits/refusal.ts'
import type { Context } from '../context.ts'
import type { ClientCall } from '../request.ts'
import { simulateOnNode, simulatesItself } from './ownSimulation.ts'

/** Methods that the node answers, but not with overrides. */
const NEEDED_FOR_OVERRIDES = new Set(['eth_call', 'eth_estimateGas'])

/** The error while no simulator runs. */
function needsSimulator(method: string): RpcError {
  const needs = 'needs --simulate on and --upstream-rpc'
  return NEEDED_FOR_OVERRIDES.has(method)
    ? new RpcError(-32602, `a call with state or block overrides ${needs}`)
    : new MethodNotSupportedError(method, `it ${needs}`)
}

/**
 * Runs a method in the simulator, on the newest state of this view. A node that has its own `eth_simulateV1` runs that itself.
 *
 * @param params - Those of the method, with `latest` in place of the block.
 * @throws RpcError without a simulator; HistoricalStateError for a block that is not the newest; UnauthorizedError
 * for a caller without an API key, when only those may simulate.
 */
export async function simulated<result = unknown>(
  { chain, config, nodeRpc, simulator }: Context,
  method: string,
  { params, ref, unit }: { params: readonly unknown[]; ref: BlockRef; unit: Unit },
  call: ClientCall,
): Promise<result> {
  if (!simulator) throw needsSimulator(method)
  const { caller } = call
  if (config.simulate === 'keys' && caller && caller.scope !== 'process' && !caller.key)
    throw new UnauthorizedError(`simulations such as ${method} need an API key here`)
  const source = await chain.state(ref)
  if (source.at === 'solid')
    throw new RpcError(-32000, 'simulations run on the newest state only: use "latest" at /')
  if (source.at === 'historic') throw new HistoricalStateError(`of block ${source.block.number}`)
  // The JSON-RPC of a node has amounts in sun.
  if (method === 'eth_simulateV1' && unit !== WEI && nodeRpc && (await simulatesItself(nodeRpc)))
    return (await simulateOnNode(nodeRpc, params, call)) as result
  return (await simulator.simulate(
    { method, params, unit: unit === WEI ? 'wei' : 'sun' },
    { call, chainId: chain.id, floor: chain.latest().number },
  )) as result
}
