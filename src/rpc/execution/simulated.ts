import type { Chain } from '../../chain/blocks/chainTypes.ts'
import type { BlockRef } from '../../codec/blockRef.ts'
import { SUN, type Unit, WEI } from '../../codec/unit.ts'
import type { Config } from '../../config/config.ts'
import { HistoricalStateError, MethodNotSupportedError, RpcError } from '../../lib/errors.ts'
import { UnauthorizedError } from '../../limits/refusal.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import type { ClientCall } from '../request.ts'
import type { CallExecution } from './execution.ts'
import { simulateOnNode, simulatesItself } from './ownSimulation.ts'

/** The methods that ask for these calls first. Errors name them. */
const METHODS: Record<keyof CallExecution, string> = {
  accessList: 'eth_createAccessList',
  call: 'eth_call',
  estimate: 'eth_estimateGas',
  replay: 'trace_call',
  simulate: 'eth_simulateV1',
  traceCall: 'debug_traceCall',
}

const methodOf = (name: keyof CallExecution) => METHODS[name]

/** Runs calls in this process with the EVM of the development chain, for what the calls of a node cannot do. */
export type Simulator = {
  /**
   * @param scope - The chain id, the lowest block that counts as newest, and what the run is charged to.
   * @throws RpcError with the words of calls that the node runs
   */
  simulate: (
    simulated: SimulatedCall,
    scope: { chainId: number; floor: number; call: ClientCall },
  ) => Promise<unknown>
}

/** A function of `CallExecution` with its arguments, as another thread gets them. */
export type SimulatedCall = {
  name: keyof CallExecution
  /** The call, the calls or the blocks. */
  subject: unknown
  /** How they run, in the newest block. */
  asked: object
  /** The unit of the amounts in the answer. */
  unit: 'sun' | 'wei'
}

/** The error while no simulator runs. */
function needsSimulator(name: keyof CallExecution): RpcError {
  const needs = 'needs --simulate on and --upstream-rpc'
  return name === 'call' || name === 'estimate'
    ? new RpcError(-32602, `a call with state or block overrides ${needs}`)
    : new MethodNotSupportedError(methodOf(name), `it ${needs}`)
}

/**
 * The functions of a node that run in the simulator, on the newest state of this view. A node that has its own `eth_simulateV1` runs that
 * itself.
 *
 * @throws RpcError without a simulator; HistoricalStateError for a block that is not the newest; UnauthorizedError for a caller without
 * an API key, when only those may simulate
 */
export function createSimulated({
  chain,
  config,
  nodeRpc,
  simulator,
}: createSimulated.Options): CallExecution {
  /** The simulator, if this call may use it. */
  async function simulatorFor(name: keyof CallExecution, { call, ref }: Asked): Promise<Simulator> {
    if (!simulator || !nodeRpc()) throw needsSimulator(name)
    const { caller } = call
    if (config.simulate === 'keys' && caller && caller.scope !== 'process' && !caller.key)
      throw new UnauthorizedError(`simulations such as ${methodOf(name)} need an API key here`)
    const source = await chain.state(ref)
    if (source.at === 'solid')
      throw new RpcError(-32000, 'simulations run on the newest state only: use "latest" at /')
    if (source.at === 'historic') throw new HistoricalStateError(`of block ${source.block.number}`)
    return simulator
  }

  function runIn(
    { simulate }: Simulator,
    name: keyof CallExecution,
    subject: unknown,
    { call, unit = SUN, ...asked }: Asked,
  ): Promise<unknown> {
    return simulate(
      { name, subject, asked, unit: unit === WEI ? 'wei' : 'sun' },
      { call, chainId: chain.id, floor: chain.latest().number },
    )
  }

  function running<name extends keyof CallExecution>(name: name): CallExecution[name] {
    const run = async (subject: unknown, asked: Asked) =>
      runIn(await simulatorFor(name, asked), name, subject, asked)
    return run as unknown as CallExecution[name]
  }

  return {
    accessList: running('accessList'),
    call: running('call'),
    estimate: running('estimate'),
    replay: running('replay'),
    traceCall: running('traceCall'),
    async simulate(simulation, asked) {
      const simulator = await simulatorFor('simulate', asked)
      const rpc = nodeRpc()
      // The JSON-RPC of a node has amounts in sun.
      return asked.unit !== WEI && rpc && (await simulatesItself(rpc))
        ? simulateOnNode(rpc, simulation, asked.call)
        : runIn(simulator, 'simulate', simulation, asked)
    },
  }
}

type Asked = { call: ClientCall; ref: BlockRef; unit?: Unit }

export declare namespace createSimulated {
  type Options = {
    chain: Chain
    config: Pick<Config, 'simulate'>
    /** The node’s own JSON-RPC; undefined while none is configured. */
    nodeRpc: () => NodeRpc | undefined
    /** Absent with `--simulate off`. */
    simulator?: Simulator | undefined
  }
}
