import { createScope, type RequestScope } from './request.ts'

/**
 * The scope of one call. A batch has several calls, and the answer of a call may be dropped or replaced, so its
 * listeners reach the connection only once its result is part of the response.
 */
export type CallScope = {
  scope: RequestScope
  /** The result is part of the response: the connection now reports its delivery. */
  deliver(): void
  /** The result will not be sent: the call is a notification, an error replaces it, or it is too large. */
  drop(): void
}

/** Creates the scope of one call inside that of its request. */
export function createCallScope(request: RequestScope): CallScope {
  let state: 'open' | 'delivered' | 'dropped' = 'open'
  let listeners: ((delivered: boolean) => void)[] | undefined
  return {
    scope: createScope({
      client: () => request.client,
      headers: () => request.headers,
      signal: () => request.signal,
      socket: request.socket,
      onDelivery(listener) {
        if (state === 'open') (listeners ??= []).push(listener)
        else if (state === 'delivered') request.onDelivery(listener)
        else listener(false)
      },
    }),
    deliver() {
      state = 'delivered'
      if (listeners) for (const listener of listeners) request.onDelivery(listener)
    },
    drop() {
      state = 'dropped'
      if (listeners) for (const listener of listeners) listener(false)
    },
  }
}
