import { ofRequest, type RequestScope, scopesOf } from '../request.ts'

/**
 * The scope of one call. A batch has several calls, and the answer of a call may be dropped or replaced, so its
 * listeners reach the connection only once its result is part of the response.
 */
export type CallScope = {
  readonly scope: RequestScope
  readonly state: CallState
}

type CallState = {
  readonly request: RequestScope
  outcome: 'open' | 'delivered' | 'dropped'
  listeners: ((delivered: boolean) => void)[] | undefined
}

/** Creates the scope of one call inside that of its request. */
export function createCallScope(request: RequestScope): CallScope {
  const state: CallState = { request, outcome: 'open', listeners: undefined }
  return { scope: scopeOf(state), state }
}

/** The result is part of the response: the connection now reports its delivery. */
export function deliverCall({ state }: CallScope): void {
  state.outcome = 'delivered'
  if (state.listeners) for (const listener of state.listeners) state.request.onDelivery(listener)
}

/** The result will not be sent: the call is a notification, an error replaces it, or it is too large. */
export function dropCall({ state }: CallScope): void {
  state.outcome = 'dropped'
  if (state.listeners) for (const listener of state.listeners) listener(false)
}

const scopeOf = scopesOf<CallState>({
  ...ofRequest,
  onDelivery(state, listener) {
    if (state.outcome === 'open') (state.listeners ??= []).push(listener)
    else if (state.outcome === 'delivered') state.request.onDelivery(listener)
    else listener(false)
  },
})
