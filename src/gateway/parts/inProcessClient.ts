import type { Call as Asking } from '../../lib/call.ts'
import { RpcError } from '../../lib/errors.ts'
import { createStop } from '../../lib/stopSignal.ts'
import type { RpcServer } from '../../rpc/jsonrpc/server.ts'
import type { ClientCall } from '../../rpc/request.ts'

/** One call: EIP-1193 names and params by position. */
export type Call = { method: string; params?: readonly unknown[] }

/** Calls a JSON-RPC server in this process. */
export type InProcessClient = ReturnType<typeof createInProcessClient>

/** Creates a client. `server` is a function because the server may be created later. */
export function createInProcessClient(server: () => RpcServer) {
  async function requestFor({ method, params = [] }: Call, asking: ClientCall): Promise<unknown> {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const answer = await server().answer(text, asking)
    const { error, result } = JSON.parse((answer?.parts ?? []).join('')) as {
      error?: { code: number; message: string; data?: unknown }
      result?: unknown
    }
    if (error) throw new RpcError(error.code, error.message, { data: error.data })
    return result
  }

  return {
    /** @param asking - Its signal ends the call, and its meter counts the native calls. @throws RpcError */
    request: (call: Call, asking?: Asking) => requestFor(call, inProcess(asking)),
    /** The same for a client: limits per client count for it. @throws RpcError */
    requestFor,
  }
}

function inProcess({ meter, signal = createStop() }: Asking = {}): ClientCall {
  return { client: 'in-process', meter, signal, onDelivery: (listener) => listener(true) }
}
