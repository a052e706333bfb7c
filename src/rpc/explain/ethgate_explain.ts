import { isComplete } from '../../chain/logs/origins.ts'
import { RpcError } from '../../lib/errors.ts'
import { type AnyMethod, defineMethod, schemas } from '../method.ts'
import { arrayOf, objectParam, optional, type Param, text } from '../params/params.ts'
import type { ClientCall } from '../request.ts'
import { type CallRecorder, callsFor } from './recorder.ts'

type Call = { method: string; params: readonly unknown[] }

/** Methods whose effect belongs to a connection. */
const CONNECTION_METHODS = new Set(['eth_subscribe', 'eth_unsubscribe', 'ethgate_explain'])

/** The name of a method that can be called again. */
const explainable: Param<string> = (input) => {
  const method = text(input)
  if (!CONNECTION_METHODS.has(method)) return method
  throw new Error(`${method} cannot be explained`)
}
explainable.doc = { name: 'method', schema: schemas.text }

const anything: Param<unknown> = (input) => input
anything.doc = { name: 'param', schema: {} }

/**
 * `ethgate_explain {method, params}`: runs a call once and returns its block, the source of the answer and the native
 * calls.
 */
export function createExplainMethod({ recorder, request }: createExplainMethod.Options): AnyMethod {
  return defineMethod({
    params: [objectParam('call', { method: explainable, params: optional(arrayOf(anything), []) })],
    result: { type: 'object', required: ['method', 'block', 'source', 'calls', 'ms'] },
    summary:
      'runs a call and returns its block, the source of its answer (also of logs) and its native calls',
    async handler({ chain }, [{ method, params }], asking) {
      const { hash, number } = chain.latest()
      const started = performance.now()
      const { calls, origins, result } = await recorder.record(() =>
        outcomeOf({ method, params }, asking),
      )
      return {
        method,
        // The newest block when the call began.
        block: { number, hash },
        source: calls.length === 0 ? 'memory' : 'upstream',
        calls: callsFor(asking.caller, calls),
        // For which blocks logs were found where.
        ...(origins.length > 0 && { logs: { complete: isComplete(origins), blocks: origins } }),
        ms: performance.now() - started,
        ...result,
      }
    },
  })

  async function outcomeOf(called: Call, asking: ClientCall) {
    try {
      return { result: await request(called, asking) }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const { code, data, message } = error
      return { error: { code, message, ...(data !== undefined && { data }) } }
    }
  }
}

export declare namespace createExplainMethod {
  type Options = {
    recorder: Pick<CallRecorder, 'record'>
    /** Calls a method of this gateway for a client. @throws RpcError */
    request: (call: Call, asking: ClientCall) => Promise<unknown>
  }
}
