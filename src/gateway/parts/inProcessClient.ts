import type { Call as Asking } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import { createStop } from '../../lib/stopSignal.ts'
import type { RpcServer } from '../../rpc/jsonrpc/server.ts'
import type { RequestScope } from '../../rpc/request.ts'

/** One call: EIP-1193 names and params by position. */
export type Call = { method: string; params?: readonly unknown[] }

/** Calls a JSON-RPC server in this process. */
export type InProcessClient = {
  /** @param signal - ends the call, and its meter counts the native calls. @throws RpcError */
  readonly request: (call: Call, signal?: Asking) => Promise<unknown>
  /** The same for a client: limits per client count for it. @throws RpcError */
  readonly requestFor: (call: Call, scope: RequestScope) => Promise<unknown>
}

/** Creates a client. `server` is a function because the server may be created later. */
export function createInProcessClient(server: () => RpcServer): InProcessClient {
  async function requestFor({ method, params = [] }: Call, scope: RequestScope): Promise<unknown> {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await server().answer(text, scope)
    const { error, result } = JSON.parse((answer?.parts ?? []).join('')) as {
      error?: { code: number; message: string; data?: unknown }
      result?: unknown
    }
    if (error) throw new RpcError(error.code, error.message, { data: error.data })
    return result
  }

  return { requestFor, request: (call, signal) => requestFor(call, inProcessScope(signal)) }
}

function inProcessScope(given: Asking | undefined): RequestScope {
  const signal = given ?? createStop()
  return { client: 'in-process', signal, onDelivery: (listener) => listener(true) }
}
