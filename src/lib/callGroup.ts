import { setMaxListeners } from 'node:events'

/**
 * Signals that mark calls as belonging together, such as the calls of one JSON-RPC batch. The pool sends such calls to
 * one node. Every call has a signal already, so nothing else needs to be passed on.
 */
export type CallGroup = {
  /** Aborted together with the signal that it was made from. */
  readonly signal: AbortSignal
  /** Ends the group. Call it always: the signal that it was made from may live much longer. */
  end(): void
}

const groups = new WeakMap<object, object>()

/** Creates a group from a signal. */
export function openCallGroup(parent: AbortSignal): CallGroup {
  const controller = new AbortController()
  // Every native call of the group listens to it.
  setMaxListeners(0, controller.signal)
  const leave = () => controller.abort(parent.reason)
  if (parent.aborted) leave()
  else parent.addEventListener('abort', leave, { once: true })
  groups.set(controller.signal, controller)
  return {
    signal: controller.signal,
    end: () => parent.removeEventListener('abort', leave),
  }
}

/** The group that a signal marks; undefined for a call on its own. */
export function callGroupOf(signal: object | undefined): object | undefined {
  return signal && groups.get(signal)
}
