import type { ObservedCall, RpcMiddleware } from '../jsonrpc/call.ts'
import type { AroundBatch } from '../jsonrpc/server.ts'
import type { CallRecorder } from './recorder.ts'

/** The code of upstream failures and internal errors. Other codes are caused by the request. */
const INTERNAL = -32603

/** Makes a span of each JSON-RPC call, by the semantic conventions of OpenTelemetry for JSON-RPC. */
export function traced(recorder: Pick<CallRecorder, 'run'>): RpcMiddleware {
  return (next, rpcRequest, call) => {
    const { client, headers, id, method, socket } = call
    const attributes = {
      'rpc.system': 'jsonrpc',
      'rpc.method': method,
      'rpc.jsonrpc.version': '2.0',
      ...(id !== undefined && { 'rpc.jsonrpc.request_id': String(id) }),
      'client.address': client,
      'network.protocol.name': socket ? 'websocket' : 'http',
    }
    const options = { attributes, headers, kind: 'server' } as const
    return recorder.run(method, options, async () => next(rpcRequest, call))
  }
}

/** Makes a span of each batch. */
export function tracedBatch(recorder: Pick<CallRecorder, 'run'>): AroundBatch {
  return (size, { headers }, work) => {
    const attributes = { 'rpc.system': 'jsonrpc', 'ethgate.batch.size': size }
    return recorder.run('batch', { attributes, headers, kind: 'internal' }, work)
  }
}

/** Writes how the current call went into its span. */
export function markOutcome(
  recorder: Pick<CallRecorder, 'fail' | 'set'>,
  { code }: Pick<ObservedCall, 'code'>,
): void {
  if (code === 0) return
  recorder.set({ 'rpc.jsonrpc.error_code': code, 'error.type': String(code) })
  if (code === INTERNAL) recorder.fail('internal error')
}
