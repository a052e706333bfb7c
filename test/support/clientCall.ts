import { setMaxListeners } from 'node:events'

import type { Context } from '../../src/rpc/context.ts'
import { callMethod as callMethodFor, type Method } from '../../src/rpc/method.ts'
import type { ClientCall } from '../../src/rpc/request.ts'

/** The call of a client that stays until the end of the tests. */
export const CLIENT_CALL: ClientCall = clientCall()

/** Calls a method, for a client that stays. */
export function callMethod<params extends readonly unknown[], result>(
  method: Method<params, result>,
  context: Context,
  input: readonly unknown[],
  call = CLIENT_CALL,
): Promise<result> | result {
  return callMethodFor(method, context, input, call)
}

function clientCall(): ClientCall {
  const { signal } = new AbortController()
  // Every upstream call adds a listener.
  setMaxListeners(0, signal)
  return { client: '127.0.0.1', onDelivery() {}, signal }
}
