import { type MessagePort, parentPort } from 'node:worker_threads'

import { RpcError } from '../../lib/errors.ts'
import { answerCalls } from '../../lib/threadCalls.ts'
import { createNodeRpc } from '../../native/transport/rpc.ts'
import { createPoolTransport } from '../../native/transport/transport.ts'
import type { SimulatedMethod } from '../../rpc/context.ts'
import { answerOn } from './methods.ts'
import { createNewestState, type NewestState } from './newestState.ts'
import { createRun, runs, waitedBy } from './run.ts'

/** One simulation, as the gateway orders it. */
export type Order = SimulatedMethod & {
  chainId: number
  feeSignal: 'eip1559' | 'legacy'
  /** The lowest block that counts as newest. */
  floor: number
  node: { headers: Readonly<Record<string, string>>; rpc: string; timeout: number; wallet: string }
}

/** Its answer, the calls to the node, and the milliseconds of computing. */
export type Outcome = { calls: number; computed: number } & (
  | { result: unknown }
  | { error: { code: number; data: unknown; message: string } }
)

/** Sockets to the node, for each interface. The other calls of the gateway need most of the node's. */
const SOCKETS = 4

/** The states of nodes, by address. A gateway has few nodes. */
const states = new Map<string, NewestState>()

function stateOf({ chainId, node }: Order): NewestState {
  const key = JSON.stringify(node)
  const known = states.get(key)
  if (known) return known
  const { headers, rpc, timeout, wallet } = node
  const state = createNewestState({
    chainId,
    rpc: createNodeRpc({ headers, sockets: SOCKETS, timeout, url: rpc }),
    transport: createPoolTransport({ headers, sockets: SOCKETS, timeout, upstream: wallet }),
  })
  states.set(key, state)
  return state
}

async function simulate(order: Order, signal: AbortSignal): Promise<Outcome> {
  const run = createRun(signal)
  const start = performance.now()
  const cost = () => ({
    calls: run.calls,
    computed: Math.max(0, performance.now() - start - waitedBy(run)),
  })
  try {
    const result = await runs.run(run, () =>
      stateOf(order).run((chain) => answerOn(chain, order, order), run, order.floor),
    )
    return { ...cost(), result }
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { code, data, message } = error
    return { ...cost(), error: { code, data, message } }
  }
}

answerCalls(parentPort as MessagePort, { simulate, ping: () => true })
