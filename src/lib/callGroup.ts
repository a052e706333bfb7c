import { setMaxListeners } from 'node:events'

import { shareMeter } from './meter.ts'

/**
 * Signals that mark a group of calls, such as the calls of one JSON-RPC batch. The pool sends the calls of a group to one
 * node. Every call already has a signal, so the group needs no further argument.
 */
export type CallGroup = {
  /** Aborted together with its parent signal. */
  readonly signal: AbortSignal
  /** Ends the group. Always call it, because the parent signal may exist much longer. */
  end(): void
}

const groups = new WeakMap<object, object>()

/** Creates a group from a parent signal. */
export function openCallGroup(parent: AbortSignal): CallGroup {
  const controller = new AbortController()
  // Every native call of the group adds a listener.
  setMaxListeners(0, controller.signal)
  const leave = () => controller.abort(parent.reason)
  if (parent.aborted) leave()
  else parent.addEventListener('abort', leave, { once: true })
  groups.set(controller.signal, controller)
  shareMeter(controller.signal, parent)
  return {
    signal: controller.signal,
    end: () => parent.removeEventListener('abort', leave),
  }
}

/** The group that a signal marks; undefined for a single call. */
export function callGroupOf(signal: object | undefined): object | undefined {
  return signal && groups.get(signal)
}
