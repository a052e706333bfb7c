import type { JsonSchema } from '../lib/jsonSchema.ts'
import { callFrame } from './callFrame.ts'
import * as schemas from './schemas.ts'

const integer: JsonSchema = { type: 'integer' }

/** 64 digits without `0x`. */
const word: JsonSchema = { type: 'string', pattern: '^[0-9a-f]{64}$' }

/** The result of geth's default tracer: every operation. */
const structTrace: JsonSchema = {
  title: 'operations',
  ...schemas.object({
    gas: integer,
    failed: schemas.boolean,
    returnValue: schemas.bytes,
    structLogs: schemas.listOf(
      schemas.object(
        {
          pc: integer,
          op: schemas.text,
          gas: integer,
          gasCost: integer,
          depth: integer,
          error: schemas.text,
          stack: schemas.listOf(word),
          returnData: schemas.bytes,
          memory: schemas.listOf(word),
          storage: { type: 'object', additionalProperties: word },
        },
        ['error', 'stack', 'returnData', 'memory', 'storage'],
      ),
    ),
  }),
}

/** A trace: operations, frames, or any other result of the tracer. */
export const trace: JsonSchema = {
  anyOf: [structTrace, callFrame, { type: 'object', description: 'of another tracer' }],
}

/** The traces of a block. */
export const blockTraces: JsonSchema = schemas.listOf(
  schemas.object({ txHash: schemas.hash, result: trace }),
)
