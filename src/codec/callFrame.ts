import type { Address, Hash, Hex } from 'viem'

import type { JsonSchema } from '../lib/jsonSchema.ts'
import * as schemas from './schemas.ts'

/** The operation that began a frame, as Ethereum nodes name it. */
export type CallKind =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

/** A log of a frame. `position`: number of calls of the frame before it. `index`: its index in the transaction. */
export type CallLog = { address: Address; topics: Hash[]; data: Hex; position: Hex; index: Hex }

/**
 * A frame in the format of geth's `callTracer`. Unknown fields are absent: a node's record of inner calls has no input,
 * output and gas.
 */
export type CallFrame = {
  from: Address
  gas?: Hex
  gasUsed?: Hex
  /** Absent for a failed creation. */
  to?: Address
  input?: Hex
  output?: Hex
  error?: string
  revertReason?: string
  calls?: CallFrame[]
  logs?: CallLog[]
  /** In the client's unit. Absent for STATICCALL. */
  value?: Hex
  type: CallKind
}

/** Schema of a call frame. Its amounts are already in the client's unit. */
export const callFrame: JsonSchema = {
  title: 'call frame',
  ...schemas.object(
    {
      type: schemas.text,
      from: schemas.address,
      to: schemas.address,
      value: schemas.quantity,
      gas: schemas.quantity,
      gasUsed: schemas.quantity,
      input: schemas.bytes,
      output: schemas.bytes,
      error: schemas.text,
      revertReason: schemas.text,
      calls: schemas.listOf({ type: 'object', description: 'call frames' }),
      logs: schemas.listOf(
        schemas.object({
          address: schemas.address,
          topics: schemas.listOf(schemas.hash),
          data: schemas.bytes,
          position: schemas.quantity,
          index: schemas.quantity,
        }),
      ),
    },
    ['to', 'value', 'gas', 'gasUsed', 'input', 'output', 'error', 'revertReason', 'calls', 'logs'],
  ),
}
