import type { JSONRPCRequest } from 'json-rpc-2.0'

import type { RpcError } from '../../lib/errors.ts'
import type { LoopWatch } from '../../lib/loopWatch.ts'
import type { CallLimits } from '../../limits/limits.ts'
import { refusedAnswer } from './answer.ts'
import { answered } from './answered.ts'
import type { RpcCall, RpcMiddleware } from './call.ts'
import { errorResponse } from './failures.ts'

// What wraps every call, one function a concern. `gateway/parts/rpcServers.ts` has the list, in the order in which they run.

/** Reports the outcome of each call. */
export function observed(observe: (call: RpcCall) => void): RpcMiddleware {
  return (next, request, call) =>
    next(request, call).then((response) => {
      call.code ||= response?.error?.code ?? 0
      observe(call)
      call.shared.calls?.push(call)
      return response
    })
}

/** Runs what the limits of the caller allow, and charges what it cost. */
export function limited(limits: Pick<CallLimits, 'enter' | 'leave'>): RpcMiddleware {
  return (next, request, call) => {
    const { caller, meter } = call
    if (!caller) return next(request, call)
    const run = () =>
      next(request, call).then((response) => {
        if (meter) limits.leave(caller, call.method, meter, call.bytes)
        return response
      })
    const denied = limits.enter(caller, call.method, request.params)
    if (!(denied instanceof Promise)) return denied ? refuse(request, call, denied) : run()
    return denied.then((error) => (error ? refuse(request, call, error) : run()))
  }
}

function refuse({ id }: JSONRPCRequest, call: RpcCall, denied: RpcError) {
  call.code = denied.code
  call.started = performance.now()
  if (id === undefined) return answered(null)
  call.answer = refusedAnswer(call.idText, denied)
  return answered(errorResponse(id, denied))
}

/** Measures each call, and says which one runs when the event loop is blocked. */
export function timed(loop: Pick<LoopWatch, 'enter' | 'leave'>): RpcMiddleware {
  return (next, request, call) => {
    call.started = loop.enter(call.method)
    return next(request, call).then((response) => {
      call.ms = loop.leave(call.method) - call.started
      return response
    })
  }
}

/** Reports each result before it is written. A failing observer does not change the answer. */
export function withResults(
  onResult: (method: string, params: readonly unknown[], result: unknown) => void,
  onError: (error: unknown, message: string) => void,
): RpcMiddleware {
  return async (next, request, call) => {
    const response = await next(request, call)
    if (response && !response.error)
      try {
        onResult(request.method, (request.params ?? []) as unknown[], response.result)
      } catch (error) {
        onError(error, `the observer of results failed on ${request.method}`)
      }
    return response
  }
}

/** Reports the name of each method that does not exist. */
export function withUnknown(onUnknown: (method: string) => void): RpcMiddleware {
  return (next, request, call) => {
    if (call.method === 'unknown') onUnknown(request.method)
    return next(request, call)
  }
}
