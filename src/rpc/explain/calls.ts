import type { CallWatcher, ObservedCall } from '../jsonrpc/observe.ts'
import type { CallRecorder } from './recorder.ts'

/** The code of upstream failures and internal errors. Other codes are caused by the request. */
const INTERNAL = -32603

/** Makes a span of each JSON-RPC call and of each batch, by the semantic conventions of OpenTelemetry for JSON-RPC. */
export function watchCalls({ isOn, recorder }: watchCalls.Options): CallWatcher {
  return {
    isOn,
    call({ id, method }, request, work) {
      const attributes = {
        'rpc.system': 'jsonrpc',
        'rpc.method': method,
        'rpc.jsonrpc.version': '2.0',
        ...(id !== undefined && { 'rpc.jsonrpc.request_id': String(id) }),
        'client.address': request.client,
        'network.protocol.name': request.socket ? 'websocket' : 'http',
      }
      return recorder.run(method, { attributes, headers: request.headers, kind: 'server' }, work)
    },
    batch(size, request, work) {
      const attributes = { 'rpc.system': 'jsonrpc', 'ethgate.batch.size': size }
      return recorder.run('batch', { attributes, headers: request.headers, kind: 'internal' }, work)
    },
  }
}

export declare namespace watchCalls {
  type Options = {
    /** Whether calls are traced. */
    isOn: () => boolean
    recorder: Pick<CallRecorder, 'run'>
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
