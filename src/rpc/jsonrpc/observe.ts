import type { Context } from '../context.ts'
import type { AnyMethod } from '../method.ts'
import type { RequestScope } from '../request.ts'
import { faultOf, shownId } from './entry.ts'

/** The outcome of one call. `method` is `unknown` or `invalid` when no method ran. */
export type ObservedCall = {
  /** 0, or the JSON-RPC error code. */
  code: number
  /** The id of the request, when it is short. */
  id?: number | string | undefined
  method: string
  /** Milliseconds. */
  ms: number
  /** When it began, in monotonic milliseconds. */
  started: number
}

/** Wraps calls and batches, for traces. Returns their result. */
export type CallWatcher = {
  /** Whether the observer is active; read for each entry. If not, the entry runs without overhead. */
  isOn(): boolean
  call<result>(
    call: Pick<ObservedCall, 'id' | 'method'>,
    request: RequestScope,
    work: () => Promise<result>,
  ): Promise<result>
  batch<result>(size: number, request: RequestScope, work: () => Promise<result>): Promise<result>
}

/** Runs a call with its context, name and raw params. Its result or error becomes the answer. */
export type AroundCall = (
  call: { context: Context; method: string; params: readonly unknown[] },
  run: () => unknown,
) => unknown

/** An entry of a request before it runs, for the observer. */
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
