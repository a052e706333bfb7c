import type { Call, StopEvent, StopListener, StopSignal } from './call.ts'

export type { StopSignal } from './call.ts'

/** A signal that its owner aborts. As a listener of another signal it is aborted with the reason of that one. */
export type Stop = Call & {
  /** Aborts it. Only the first reason counts. */
  stop(reason: unknown): void
  handleEvent(event: StopEvent): void
}

/**
 * A signal with few listeners. Most signals have one, which is stored without a list.
 *
 * @param of - The call that the work is for: what is done until it is aborted counts for the same caller.
 */
export function createStop(of?: Omit<Call, keyof StopSignal>): Stop {
  return {
    aborted: false,
    reason: undefined,
    caller: of?.caller,
    meter: of?.meter,
    group: of?.group,
    asked: of?.asked,
    first: undefined,
    others: undefined,
    addEventListener: add,
    removeEventListener: remove,
    throwIfAborted,
    stop,
    handleEvent,
  } as Stop & Listeners
}

// The functions are shared by all signals: one is made for every call, and a closure for each function would cost more than the signal.

type Listeners = {
  aborted: boolean
  reason: unknown
  first: StopListener | undefined
  others: StopListener[] | undefined
}

function throwIfAborted(this: Listeners): void {
  if (this.aborted) throw this.reason
}

function add(this: Listeners, _: 'abort', listener: StopListener): void {
  if (this.first === listener || this.others?.includes(listener)) return
  if (this.first === undefined) this.first = listener
  else (this.others ??= []).push(listener)
}

function remove(this: Listeners, _: 'abort', listener: StopListener): void {
  if (this.first === listener) this.first = undefined
  else if (this.others) this.others = this.others.filter((other) => other !== listener)
}

function stop(this: Listeners, reason: unknown): void {
  if (this.aborted) return
  const listeners = [...(this.first ? [this.first] : []), ...(this.others ?? [])]
  this.aborted = true
  this.reason = reason
  this.first = this.others = undefined
  for (const listener of listeners)
    if (typeof listener === 'function') listener()
    else listener.handleEvent({ target: this })
}

function handleEvent(this: Stop, { target }: StopEvent): void {
  this.stop((target as StopSignal).reason)
}
