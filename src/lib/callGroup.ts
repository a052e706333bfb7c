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
  const { controller, end } = openChild(parent)
  groups.set(controller.signal, controller)
  return { signal: controller.signal, end }
}

/** The group that a signal marks; undefined for a single call. */
export function callGroupOf(signal: object | undefined): object | undefined {
  return signal && groups.get(signal)
}

/**
 * Runs the parts of one piece of work at the same time, with a signal of their own. It is aborted when one of them fails, so that the
 * others stop, and when all are done, which stops what nobody waits for any more.
 *
 * @param parent - The signal of the work: its calls count for the same caller, and are of the same group.
 * @throws the first failure, at once
 */
export async function together<result>(
  parent: AbortSignal | undefined,
  start: (signal: AbortSignal) => readonly Promise<result>[],
): Promise<result[]> {
  const { controller, end } = openChild(parent)
  const group = callGroupOf(parent)
  if (group) groups.set(controller.signal, group)
  try {
    return await Promise.all(start(controller.signal))
  } catch (error) {
    controller.abort(error)
    throw error
  } finally {
    controller.abort(OVER)
    end()
  }
}

const OVER = new Error('nobody waits for this work any more')

/** A signal that is aborted with its parent, and counts for the same caller. */
function openChild(parent: AbortSignal | undefined) {
  const controller = new AbortController()
  // Every native call adds a listener.
  setMaxListeners(0, controller.signal)
  const leave = () => controller.abort(parent?.reason)
  if (parent?.aborted) leave()
  else parent?.addEventListener('abort', leave, { once: true })
  if (parent) shareMeter(controller.signal, parent)
  return { controller, end: () => parent?.removeEventListener('abort', leave) }
}
