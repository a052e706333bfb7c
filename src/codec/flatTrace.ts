import type { Address, Hex } from 'viem'

import type { Schema, ValueOf } from '../lib/jsonSchema.ts'
import type { CallFrame } from './callFrame.ts'
import * as schemas from './schemas.ts'

type FlatCall = {
  callType: string
  from: Address
  to?: Address
  gas?: Hex
  input?: Hex
  value: Hex
}
type FlatCreate = { creationMethod: string; from: Address; gas?: Hex; init?: Hex; value: Hex }
type FlatSuicide = { address: Address; balance: Hex; refundAddress: Address }
type FlatResult = { address?: Address; code?: Hex; gasUsed?: Hex; output?: Hex }

const integer: Schema<number> = { type: 'integer' }
const action: Schema<FlatCall | FlatCreate | FlatSuicide> = { type: 'object' }
const result: Schema<FlatResult> = { type: 'object' }
const kind: Schema<'call' | 'create' | 'suicide'> = { enum: ['call', 'create', 'suicide'] }

/** Schema of a frame in the format of Parity's `trace_*` methods. Unknown fields are absent. Its amounts are already in the client's unit. */
export const flatTrace = {
  title: 'trace',
  ...schemas.object(
    {
      action,
      blockHash: schemas.hash,
      blockNumber: integer,
      transactionHash: schemas.hash,
      transactionPosition: integer,
      error: schemas.text,
      result: schemas.nullable(result),
      // Number of frames directly inside.
      subtraces: integer,
      // The path from the outermost frame: an index at each level.
      traceAddress: schemas.listOf(integer),
      type: kind,
    },
    ['error', 'result'],
  ),
}

/** A frame in the format of Parity. */
export type FlatTrace = ValueOf<typeof flatTrace>

/** The position of a transaction on the chain. */
export type TracePlace = Pick<
  FlatTrace,
  'blockHash' | 'blockNumber' | 'transactionHash' | 'transactionPosition'
>

const REVERTED = 'execution reverted'

/** Parity's texts for errors of geth. */
const WORDS: readonly (readonly [geth: string, parity: string])[] = [
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  [REVERTED, 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached', 'Out of stack'],
  ['invalid opcode', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
]

/** Lists a frame and all frames inside it, each before its inner frames. */
export function flatTraces(frame: CallFrame, place: TracePlace): FlatTrace[] {
  const traces: FlatTrace[] = []
  add(frame, [])
  return traces

  function add(frame: CallFrame, traceAddress: number[]): void {
    const { calls = [], error } = frame
    const hasResult = error === undefined || error === REVERTED
    traces.push({
      action: actionOf(frame),
      ...place,
      ...(error !== undefined && { error: parityError(error) }),
      ...(hasResult && { result: resultOf(frame) }),
      subtraces: calls.length,
      traceAddress,
      type: typeOf(frame),
    })
    for (const [index, call] of calls.entries()) add(call, [...traceAddress, index])
  }
}

function parityError(error: string): string {
  return WORDS.find(([geth]) => error.startsWith(geth))?.[1] ?? error
}

function typeOf({ type }: CallFrame): FlatTrace['type'] {
  if (type === 'SELFDESTRUCT') return 'suicide'
  return isCreation(type) ? 'create' : 'call'
}

const isCreation = (type: CallFrame['type']) => type === 'CREATE' || type === 'CREATE2'

function actionOf({ from, gas, input, to, type, value = '0x0' }: CallFrame): FlatTrace['action'] {
  if (type === 'SELFDESTRUCT')
    return { address: from, balance: value, refundAddress: to as Address }
  const common = { from, ...(gas !== undefined && { gas }), value }
  if (isCreation(type))
    return {
      creationMethod: type.toLowerCase(),
      ...common,
      ...(input !== undefined && { init: input }),
    }
  return {
    callType: type.toLowerCase(),
    ...common,
    ...(input !== undefined && { input }),
    ...(to && { to }),
  }
}

function resultOf({ gas, gasUsed, output, to, type }: CallFrame): FlatResult | null {
  if (type === 'SELFDESTRUCT') return null
  const used = gasUsed !== undefined && { gasUsed }
  // If the gas of a frame is known, all fields are, so absent ones are empty.
  const bytes = output ?? (gas === undefined ? undefined : '0x')
  if (!isCreation(type)) return { ...used, ...(bytes !== undefined && { output: bytes }) }
  return {
    ...(to && { address: to }),
    ...(bytes !== undefined && { code: bytes }),
    ...used,
  }
}
