import type { Context } from '../context.ts'
import { faultOf, shownId } from './entry.ts'
import type { AnyMethod } from './method.ts'
import type { RequestScope } from './request.ts'

/** The outcome of one call. `method` is `unknown` or `invalid` when no method ran. */
export type ObservedCall = {
  /** 0, or the JSON-RPC error code. */
  code: number
  /** The id of the request, when it is short. */
  id?: number | string | undefined
  method: string
  /** Milliseconds. */
  ms: number
}

/** Runs calls and batches, for traces. Passes the result on. */
export type CallWatcher = {
  /** Whether somebody wants to know. Asked for each entry: else it runs as it is, at no cost. */
  isOn(): boolean
  call<result>(
    call: Pick<ObservedCall, 'id' | 'method'>,
    request: RequestScope,
    work: () => Promise<result>,
  ): Promise<result>
  batch<result>(size: number, request: RequestScope, work: () => Promise<result>): Promise<result>
}

/** Runs a call: its context, its name and its params as they came. What it answers or throws is answered. */
export type AroundCall = (
  call: { context: Context; method: string; params: readonly unknown[] },
  run: () => unknown,
) => unknown

/** An entry of a request as a watcher sees it before it runs. */
export function watchedCall(
  entry: unknown,
  methods: Record<string, AnyMethod>,
): Pick<ObservedCall, 'id' | 'method'> {
  const { method } = (faultOf(entry) ? {} : entry) as { method?: string }
  const known = method !== undefined && Object.hasOwn(methods, method)
  return {
    id: shownId(entry),
    method: known ? method : method === undefined ? 'invalid' : 'unknown',
  }
}
