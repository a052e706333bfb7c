/**
 * A value that is there already, in the place of a promise: `then` calls back at once. For json-rpc-2.0 and its middleware, where a
 * promise for each step would take longer than a call that is answered from memory. `await` treats it as any object with `then`.
 */
export function answered<value>(value: value): PromiseLike<value> {
  const there = Object.create(PROTOTYPE) as { value: value }
  there.value = value
  return there as Answered<value>
}

type Answered<value> = PromiseLike<value> & { readonly value: value }

/** It inherits from Promise, because json-rpc-2.0 waits for anything else with one more promise. */
// oxlint-disable-next-line unicorn/no-thenable -- it stands for a promise
const PROTOTYPE: object = Object.create(Promise.prototype, { then: { value: callBack } })

/** Shared by all: a closure for each would cost more than what is saved. What the callback throws is for the library, as a rejection is. */
function callBack(
  this: Answered<unknown>,
  onValue?: ((value: unknown) => unknown) | null,
): unknown {
  const next = onValue ? onValue(this.value) : this.value
  return next === this.value ? this : isThenable(next) ? next : answered(next)
}

/** Whether a value is not there yet. Methods of embedders may return promises of libraries. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function'
}
