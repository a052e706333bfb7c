import { type MessagePort, parentPort, workerData } from 'node:worker_threads'

import { LimitExceededError, RpcError } from '../../lib/errors.ts'
import { answerCalls, transfer } from '../../lib/threadCalls.ts'
import { turns as currentTurns } from '../../lib/turn.ts'
import { createNodeRpc } from '../../native/transport/nodeRpc.ts'
import { createHttpTransport } from '../../native/transport/transport.ts'
import type { SimulatedCall } from '../../rpc/execution/simulated.ts'
import { runOn } from './calls.ts'
import { createNewestState, type NewestState } from './newestState.ts'
import { createRun, runs } from './run.ts'
import { figuresIn } from './shared.ts'
import { createTurns } from './turns.ts'

/** One simulation, as the gateway orders it. */
export type Order = SimulatedCall & {
  chainId: number
  feeSignal: 'eip1559' | 'legacy'
  /** The lowest block that counts as newest. */
  floor: number
  /** Most bytes of the result. */
  limit: number
  node: { headers: Readonly<Record<string, string>>; rpc: string; timeout: number; wallet: string }
  /** Unique among the simulations of the gateway. */
  number: number
  /** Its place in the figures. */
  place: number
  /** Whose turn it uses, and the share of that caller. */
  owner: string
  weight: number
}

/** The JSON text of its result, as bytes that are handed over, or its error. */
export type Outcome =
  | { result: Uint8Array<ArrayBuffer> }
  | { error: { code: number; data: unknown; message: string } }

/** What the thread is started with. */
export type ThreadData = { computing: number | undefined; figures: SharedArrayBuffer }

/** Sockets to the node, for each interface. The other calls of the gateway need most of the node's. */
const SOCKETS = 4

const data = workerData as ThreadData
const figures = figuresIn(data.figures)
const turns = createTurns({ most: data.computing, onTurn: (number) => figures.begin(number) })

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
    transport: createHttpTransport({ headers, sockets: SOCKETS, timeout, upstream: wallet }),
  })
  states.set(key, state)
  return state
}

async function simulate(order: Order, signal: AbortSignal) {
  const { number, owner, place, weight } = order
  // The place of a cancelled simulation may be that of the next one already.
  const onUsed = (milliseconds: number) => {
    if (!signal.aborted) figures.setComputed(place, milliseconds)
  }
  const onCall = (calls: number) => {
    if (!signal.aborted) figures.setCalls(place, calls)
  }
  const turn = turns.open({ number, onUsed, owner, signal, weight })
  const run = createRun({ onCall, signal, turn })
  try {
    await turn.take()
    const answer = await currentTurns.run(turn, () =>
      runs.run(run, () =>
        stateOf(order).run((chain) => runOn(chain, order.feeSignal, order), run, order.floor),
      ),
    )
    const result = bytesOf(answer, order.limit)
    return transfer({ result }, [result.buffer])
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    const { code, data, message } = error
    return { error: { code, data, message } }
  } finally {
    turn.end()
  }
}

/** The result as JSON text. @throws LimitExceededError before it is copied to the gateway */
function bytesOf(result: unknown, limit: number): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(JSON.stringify(result ?? null))
  if (bytes.length > limit)
    throw new LimitExceededError(`the result of the simulation exceeds the limit of ${limit} bytes`)
  return bytes
}

answerCalls(parentPort as MessagePort, { simulate, ping: () => true })
