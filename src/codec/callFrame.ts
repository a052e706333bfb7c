import type { Schema, ValueOf } from '../lib/jsonSchema.ts'
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

const log = schemas.object({
  address: schemas.address,
  topics: schemas.listOf(schemas.hash),
  data: schemas.bytes,
  // Number of calls of the frame before it.
  position: schemas.quantity,
  // Its index in the transaction.
  index: schemas.quantity,
})

/** A log of a frame. */
export type CallLog = ValueOf<typeof log>

/**
 * Schema of a frame in the format of geth's `callTracer`. Unknown fields are absent: a node's record of inner calls has no input, output
 * and gas. Its amounts are already in the client's unit.
 */
export const callFrame = {
  title: 'call frame',
  ...schemas.object(
    {
      type: schemas.text as Schema<CallKind>,
      from: schemas.address,
      // Absent for a failed creation.
      to: schemas.address,
      // Absent for STATICCALL.
      value: schemas.quantity,
      gas: schemas.quantity,
      gasUsed: schemas.quantity,
      input: schemas.bytes,
      output: schemas.bytes,
      error: schemas.text,
      revertReason: schemas.text,
      calls: schemas.listOf({ type: 'object', description: 'call frames' }),
      logs: schemas.listOf(log),
    },
    ['to', 'value', 'gas', 'gasUsed', 'input', 'output', 'error', 'revertReason', 'calls', 'logs'],
  ),
}

/** A frame of a transaction, with those inside it. */
export type CallFrame = Omit<ValueOf<typeof callFrame>, 'calls'> & { calls?: CallFrame[] }
