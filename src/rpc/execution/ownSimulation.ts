import { numberToHex } from 'viem/utils'

import type { Call } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import { NodeRpcError } from '../../native/errors.ts'
import { shownText } from '../../native/shownText.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import type { Slots } from '../params/overrides.ts'
import type { Simulation } from '../params/simulationParam.ts'

const [FULL, REVERTING, COUNTING] = ['0xf1', '0xf2', '0xf3'].map(
  (first) => `${first}${'5a'.repeat(19)}`,
) as [string, string, string]

/** Calls of code that returns its balance, of code that reverts, and, in two blocks, of code that counts in its storage. */
const PROBE = {
  blockStateCalls: [
    {
      stateOverrides: {
        [FULL]: { balance: '0x7b', code: '0x4760005260206000f3' },
        [REVERTING]: { code: '0x60006000fd' },
        [COUNTING]: { code: '0x6000546001018060005560005260206000f3' },
      },
      calls: [{ to: FULL }, { to: REVERTING }, { to: COUNTING }],
    },
    { calls: [{ to: COUNTING }] },
  ],
}

const word = (value: number) => value.toString(16).padStart(64, '0')

/** Status and result of the calls of the probe, by block. */
const EXPECTED = JSON.stringify([
  [`0x1 0x${word(0x7b)}`, '0x0 0x', `0x1 0x${word(1)}`],
  [`0x1 0x${word(2)}`],
])

/** Milliseconds until a node is probed again: its program may have been replaced. */
const PROBE_AGAIN = 10 * 60_000

const probes = new WeakMap<NodeRpc, { at: number; isRight: Promise<boolean> }>()

/** Whether the JSON-RPC of the nodes has an `eth_simulateV1` that runs calls, overrides and blocks right. */
export async function simulatesItself(rpc: NodeRpc): Promise<boolean> {
  let probe = probes.get(rpc)
  if (!probe || performance.now() - probe.at > PROBE_AGAIN) {
    probe = { at: performance.now(), isRight: isRight(rpc) }
    probes.set(rpc, probe)
  }
  return probe.isRight
}

async function isRight(rpc: NodeRpc): Promise<boolean> {
  try {
    const blocks = (await rpc.call('eth_simulateV1', [PROBE, 'latest'])) as {
      calls: { returnData: string; status: string }[]
    }[]
    const found = blocks.map(({ calls }) =>
      calls.map(({ returnData, status }) => `${status} ${returnData}`),
    )
    return JSON.stringify(found) === EXPECTED
  } catch {
    // The node lacks the method, does not answer, or answers something else.
    return false
  }
}

/** Whether a code is of the method: a revert, a failed or impossible simulation, or wrong parameters. */
function isOfMethod(code: number): boolean {
  return code === 3 || code === -32000 || code === -32602 || code === -32015 || code <= -38000
}

/** Runs `eth_simulateV1` on a node. @throws RpcError with the code of the node, if it is one of the method */
export async function simulateOnNode(
  rpc: NodeRpc,
  simulation: Simulation,
  call: Call,
): Promise<unknown> {
  try {
    return await rpc.call('eth_simulateV1', [toJson(simulation), 'latest'], call)
  } catch (error) {
    if (!(error instanceof NodeRpcError)) throw error
    const { code, message } = error.answered
    // The other codes, and these words, are about the node: it has lost the method, or failed at it.
    if (typeof code !== 'number' || typeof message !== 'string' || !isOfMethod(code)) throw error
    if (/^internal error$/i.test(message)) throw error
    throw new RpcError(code, shownText(message, 'the node refuses the simulation'), {
      cause: error,
    })
  }
}

/** The parameter of the method as clients send it. */
function toJson({ blocks, hasTransfers, isChecked, isFull }: Simulation): object {
  return {
    blockStateCalls: blocks.map(({ accounts, block: { prevRandao, ...block }, calls }) => ({
      blockOverrides: quantities({
        ...block,
        ...(prevRandao && { prevRandao: `0x${prevRandao}` }),
      }),
      stateOverrides: Object.fromEntries(
        accounts.map(([who, { state, stateDiff, ...change }]) => [
          who,
          quantities({
            ...change,
            ...(state && { state: slotsOf(state) }),
            ...(stateDiff && { stateDiff: slotsOf(stateDiff) }),
          }),
        ]),
      ),
      calls: calls.map((call) => quantities(call)),
    })),
    traceTransfers: hasTransfers,
    validation: isChecked,
    returnFullTransactions: isFull,
  }
}

const quantities = (members: object) =>
  Object.fromEntries(
    Object.entries(members).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === 'bigint' ? numberToHex(value) : value,
    ]),
  )

const slotsOf = (slots: Slots) =>
  Object.fromEntries(slots.map(([slot, value]) => [`0x${slot}`, `0x${value}`]))
