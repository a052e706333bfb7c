/** The used part of an abort signal. Creating a whole AbortSignal takes longer than many of the calls that need one. */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: StopListener, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: StopListener): void
}

/** A function, or an object as `EventTarget` takes it. */
type StopListener = (() => void) | { handleEvent(event: StopEvent): void }

/** What a listener gets. */
type StopEvent = { readonly target: unknown }

/** A signal that its owner aborts. As a listener of another signal it is aborted with the reason of that one. */
export type Stop = StopSignal & {
  /** Aborts it. Only the first reason counts. */
  stop(reason: unknown): void
  handleEvent(event: StopEvent): void
}

/**
 * A signal with few listeners. Most signals have one, which is stored without a list.
 *
 * @param after - a signal whose abort aborts this one too. Remove it from the listeners of that one when the work is done.
 */
export function createStop(after?: StopSignal): Stop {
  const stop = {
    aborted: false,
    reason: undefined,
    first: undefined,
    others: undefined,
    addEventListener: add,
    removeEventListener: remove,
    throwIfAborted,
    stop: abort,
    handleEvent,
  } as Stop & Listeners
  if (after?.aborted) stop.stop(after.reason)
  else after?.addEventListener('abort', stop, { once: true })
  return stop
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

function abort(this: Listeners, reason: unknown): void {
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
