import type { Unit } from '../../codec/unit.ts'
import { isObject } from '../../lib/isObject.ts'
import { blankable, callData, callRequest } from './callParam.ts'
import { accountMembers, blockMembers, membersOf, requireOverrideNames } from './overrides.ts'
import {
  address,
  arrayOf,
  contractAddress,
  maybe,
  member,
  type Param,
  type ParamScope,
  PLAIN,
  show,
} from './params.ts'

// The simulator decodes these parameters itself. Here they get the addresses of contracts in place of predicted ones.

type Json = Record<string, unknown>

/** A parameter for the simulator, and the unit of its amounts. */
export type Given<value = unknown> = { value: value; unit: Unit }

const objectFrom = (input: unknown, what: string): Json => {
  if (!isObject(input)) throw new Error(`expected ${what}, got ${show(input)}`)
  return input
}

function callFrom(input: unknown, scope: ParamScope): Json {
  const { data: _, input: __, ...rest } = objectFrom(input, 'a call object')
  const to = member(rest, 'to', blankable(contractAddress), scope)
  const data = callData(input as Json)
  return { ...rest, ...(to && { to }), data: scope.inData(data) }
}

/** A call with all members that Ethereum knows. */
export const simulatedCall: Param<Given> = (input, scope = PLAIN) => ({
  value: callFrom(input, scope),
  unit: scope.unit,
})
simulatedCall.doc = callRequest.doc as NonNullable<typeof callRequest.doc>

function stateFrom(input: unknown, scope: ParamScope): Json {
  return Object.fromEntries(
    Object.entries(objectFrom(input, 'state overrides')).map(([who, change]) => [
      scope.contractAt(address(who)),
      member({ [who]: change }, who, accountMembers),
    ]),
  )
}

/** Overrides that are absent or empty change nothing, so the node can run the call. */
function overrides(read: (input: unknown) => Json, input: unknown): Json | undefined {
  const given = maybe(read)(input)
  return given && Object.keys(given).length > 0 ? given : undefined
}

/** Changes of accounts for one call; undefined when there are none. */
export const stateOverrides: Param<Json | undefined> = (input, scope = PLAIN) =>
  overrides((value) => stateFrom(value, scope), input)
stateOverrides.doc = {
  name: 'stateOverrides',
  required: false,
  schema: { type: 'object' },
  description: 'by address: balance, nonce, code, state (all slots) or stateDiff (some slots)',
}

/** Values that contracts see of the block; undefined when there are none. */
export const blockOverrides: Param<Json | undefined> = (input) => overrides(blockMembers, input)
blockOverrides.doc = {
  name: 'blockOverrides',
  required: false,
  schema: { type: 'object' },
  description: 'number, time (seconds), gasLimit, feeRecipient, baseFeePerGas, prevRandao',
}

/** The members of a block of `eth_simulateV1`, and those of its parameter. */
export const BLOCK_OF_CALLS = ['blockOverrides', 'stateOverrides', 'calls']
export const SIMULATION = [
  'blockStateCalls',
  'traceTransfers',
  'validation',
  'returnFullTransactions',
]

const blockOfCalls: Param<Json> = (input, scope = PLAIN) => {
  const given = membersOf(BLOCK_OF_CALLS, input, 'a block')
  const calls = member(given, 'calls', maybe(arrayOf((call) => callFrom(call, scope))))
  const state = member(given, 'stateOverrides', stateOverrides, scope)
  const block = member(given, 'blockOverrides', blockOverrides)
  return {
    ...(block && { blockOverrides: block }),
    ...(state && { stateOverrides: state }),
    ...(calls && { calls }),
  }
}

/** The blocks of `eth_simulateV1` and its options. */
export const simulation: Param<Given> = (input, scope = PLAIN) => {
  const given = membersOf(SIMULATION, input, 'an object')
  const blocks = member(given, 'blockStateCalls', maybe(arrayOf(blockOfCalls)), scope)
  return {
    value: { ...given, ...(blocks && { blockStateCalls: blocks }) },
    unit: scope.unit,
  }
}
simulation.doc = {
  name: 'simulation',
  schema: { type: 'object' },
  description:
    'blockStateCalls (each with calls, stateOverrides, blockOverrides), traceTransfers, returnFullTransactions',
}

/** The options of `debug_traceCall`. */
export const traceOptions: Param<Json> = (input, scope) => {
  const given = objectFrom(input ?? {}, 'trace options')
  if ((given['txIndex'] ?? undefined) !== undefined)
    throw new Error('txIndex is not supported: the node keeps no state inside a block')
  requireOverrideNames(given)
  const { blockOverrides: _, stateOverrides: __, ...options } = given
  const state = member(given, 'stateOverrides', stateOverrides, scope)
  const block = member(given, 'blockOverrides', blockOverrides)
  return {
    ...options,
    ...(state && { stateOverrides: state }),
    ...(block && { blockOverrides: block }),
  }
}
traceOptions.doc = {
  name: 'traceOptions',
  required: false,
  schema: { type: 'object' },
  description:
    'tracer (callTracer, prestateTracer, 4byteTracer, muxTracer, noopTracer, or an object in JavaScript; without one every operation is listed), tracerConfig, timeout, stateOverrides, blockOverrides',
}
