import { type CallGroup, openCallGroup } from '../../lib/callGroup.ts'
import { LimitExceededError, RpcError } from '../../lib/errors.ts'
import type { LoopWatch } from '../../lib/loopWatch.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { isWire } from '../../lib/wire.ts'
import type { CallLimits } from '../../limits/limits.ts'
import { BASE_PRICE, bytesPrice } from '../../limits/prices.ts'
import type { Context, ViewContext } from '../context.ts'
import { type AnyMethod, callMethod } from '../method.ts'
import { type RequestScope, withSignal } from '../request.ts'
import {
  type Answer,
  batchAnswer,
  errorAnswer,
  refusedAnswer,
  resultAnswer,
  wireAnswer,
} from './answer.ts'
import { type CallScope, createCallScope, deliverCall, dropCall } from './callScope.ts'
import { faultOf, idText, isNotification, type RpcRequest, shownId } from './entry.ts'
import {
  errorOf,
  INTERNAL,
  invalidRequest,
  methodNotFound,
  PARSE_ERROR,
  tooDeep,
  tooLarge,
  TOO_MUCH_UNSENT,
} from './failures.ts'
import { inspect, isDeeper } from './inspect.ts'
import { type AroundCall, type CallWatcher, type ObservedCall, watchedCall } from './observe.ts'
import { createRepeatedRequests } from './repeated.ts'

/** Answers JSON-RPC requests. */
export type RpcServer = {
  /** Answers the text of one request or batch; undefined when it contains only notifications. Never fails. */
  answer(text: string, request: RequestScope): Answered
}

/** An answer. It is a promise only when there was something to wait for: promises take longer than a cached answer. */
type Answered = Answer | undefined | Promise<Answer | undefined>

/**
 * A JSON-RPC 2.0 server for a table of methods. Params are read by position only. `context` is called for every call and may
 * throw while the services are not available yet.
 */
export function createRpcServer({
  around,
  batchLimit = 1_000,
  context,
  depthLimit = 32,
  limits,
  hasRoom = () => true,
  loop = { enter: () => performance.now(), leave: () => performance.now() },
  methods,
  observe = () => {},
  onError,
  onResult,
  onUnknown,
  responseLimit = 64 * 1024 * 1024,
  trace,
  watch,
}: createRpcServer.Options): RpcServer {
  const table = new Map(Object.entries(methods))
  const repeated = createRepeatedRequests()
  const served = [...table.keys()].filter((name) => table.get(name)?.kind !== 'refused')

  function runMethod({ method: name, params: input }: RpcRequest, { scope }: CallScope): unknown {
    if (!Array.isArray(input ?? []))
      throw new RpcError(-32602, 'invalid params: expected an array, by position')
    const method = table.get(name) as AnyMethod
    const params = (input ?? []) as unknown[]
    const shared = context()
    const run = (view: ViewContext): unknown => {
      // Inherits instead of copying, because a context has ten members and one of them is a getter.
      const context = Object.create(view) as Context
      context.request = scope
      if (!around) return callMethod(method, context, params)
      return around({ context, method: name, params }, () => callMethod(method, context, params))
    }
    return shared instanceof Promise ? shared.then(run) : run(shared)
  }

  /** The outcome of an entry that calls no known method; undefined for one that does. */
  function refuseEntry(entry: unknown, rawId: string | undefined): Outcome | undefined {
    const fault = faultOf(entry)
    if (fault) {
      const answer = errorAnswer(idText(entry, rawId), invalidRequest(fault))
      return { answer, code: -32600, method: 'invalid' }
    }
    const { id, method } = entry as RpcRequest
    if (table.has(method)) return undefined
    onUnknown?.(method)
    const answer =
      id === undefined
        ? undefined
        : errorAnswer(idText(entry, rawId), methodNotFound(method, served))
    return { answer, code: -32601, method: 'unknown' }
  }

  function answerOne(value: unknown, rawId: string | undefined, shared: Shared): Answered {
    if (!watch?.isOn()) return answerWithin(value, rawId, shared)
    return watch.call(watchedCall(value, methods), shared.request, async () =>
      answerWithin(value, rawId, shared),
    )
  }

  /** Answers one entry within the remaining response limit, unless the limits of the caller refuse it. */
  function answerWithin(value: unknown, rawId: string | undefined, shared: Shared): Answered {
    const refused = refuseEntry(value, rawId)
    const name = refused?.method ?? (value as RpcRequest).method
    const entry: Entry = { value, rawId, shared, refused, name, started: 0 }
    const denied = denialOf(entry)
    if (!(denied instanceof Promise)) return denied ? deny(entry, denied) : run(entry)
    return denied.then((error) => (error ? deny(entry, error) : run(entry)))
  }

  /** Why a call may not run; undefined when it may. A promise only when the limits of the caller have to be asked for. */
  function denialOf({ name, shared, value }: Entry): ReturnType<CallLimits['enter']> {
    const { caller } = shared
    if (!limits || !caller) return undefined
    return limits.enter(caller, name, (value as { params?: unknown } | null)?.params)
  }

  function deny({ name, rawId, shared, value }: Entry, denied: RpcError): Answer | undefined {
    const { code } = denied
    record({ code, id: shownId(value), method: name, ms: 0, started: performance.now() }, shared)
    return isNotification(value) ? undefined : refusedAnswer(idText(value, rawId), denied)
  }

  function run(entry: Entry): Answered {
    const { name, refused, shared, value } = entry
    entry.started = loop.enter(name)
    if (refused) return settle(entry, refused)
    const call = createCallScope(shared.request)
    const succeed = (result: unknown) => settle(entry, succeeded(entry, result), call)
    const fail = (error: unknown) => settle(entry, failed(entry, error), call)
    let result: unknown
    try {
      result = runMethod(value as RpcRequest, call)
    } catch (error) {
      return fail(error)
    }
    return isThenable(result) ? Promise.resolve(result).then(succeed, fail) : succeed(result)
  }

  /** The outcome of a call with a result: an answer for a request, none for a notification. */
  function succeeded({ name: method, rawId, value }: Entry, result: unknown): Outcome {
    const { id, params } = value as RpcRequest
    try {
      onResult?.(method, (params ?? []) as unknown[], result)
    } catch (error) {
      // A failing observer does not change the answer.
      onError(error, `the observer of results failed on ${method}`)
    }
    try {
      if (id === undefined) return { answer: undefined, code: 0, method }
      const text = idText(value, rawId)
      const answer = isWire(result) ? wireAnswer(text, result) : resultAnswer(text, result ?? null)
      return { answer, code: 0, method }
    } catch (error) {
      onError(error, `the result of ${method} cannot be serialised as JSON`)
      return { answer: errorAnswer(idText(value, rawId), INTERNAL), code: INTERNAL.code, method }
    }
  }

  /** The outcome of a call that threw. A notification is not answered, even if it failed. */
  function failed({ name: method, rawId, value }: Entry, error: unknown): Outcome {
    onError(error, `the call of ${method} failed`)
    if (isNotification(value)) return { answer: undefined, code: 0, method }
    const shown = errorOf(error)
    return { answer: errorAnswer(idText(value, rawId), shown), code: shown.code, method }
  }

  /** Records and charges an outcome, and settles its delivery. @returns the answer, or why it is not sent */
  function settle(entry: Entry, { answer, code, method }: Outcome, call?: CallScope) {
    const { name, rawId, shared, started, value } = entry
    const { caller, meter, room } = shared
    const ms = loop.leave(method) - started
    const refusal = answer && refusalOf(answer, room)
    if (limits && caller && meter) limits.leave(caller, name, meter, answer?.bytes ?? 0)
    record({ code: refusal?.code ?? code, id: shownId(value), method, ms, started }, shared)
    if (call) {
      if (answer && code === 0 && !refusal) deliverCall(call)
      else dropCall(call)
    }
    return refusal ? errorAnswer(idText(value, rawId), refusal) : answer
  }

  function record(call: ObservedCall, { calls, request }: Shared): void {
    observe(call, request)
    calls?.push(call)
  }

  /** Why an answer is not sent; undefined when it is. */
  function refusalOf({ bytes }: Answer, room: Room) {
    if (!take(room, bytes)) return tooLarge(responseLimit)
    return hasRoom(bytes) ? undefined : TOO_MUCH_UNSENT
  }

  function sharedBy(request: RequestScope, calls: ObservedCall[] | undefined): Shared {
    const { caller, meter } = request
    return { calls, caller, meter, request, room: { left: responseLimit } }
  }

  async function answerBatch(
    entries: readonly unknown[],
    ids: readonly (string | undefined)[],
    request: RequestScope,
    calls: ObservedCall[] | undefined,
  ): Promise<Answer | undefined> {
    const answers: (Answer | undefined)[] = []
    let group: CallGroup | undefined
    const scope = withSignal(request, () => (group ??= openCallGroup(request.signal)).signal)
    const shared = sharedBy(scope, calls)
    let next = 0
    const worker = async () => {
      while (next < entries.length && !request.signal.aborted) {
        const index = next++
        const entry = entries[index]
        if (shared.room.left < 0) {
          // The response is already too large, so the remaining entries are not executed.
          if (isNotification(entry)) continue
          answers[index] = errorAnswer(idText(entry, ids[index]), tooLarge(responseLimit))
          continue
        }
        const answered = answerOne(entry, ids[index], shared)
        answers[index] = answered instanceof Promise ? await answered : answered
      }
    }
    await Promise.all(Array.from({ length: Math.min(BATCH_CONCURRENCY, entries.length) }, worker))
    group?.end()
    const sent = answers.filter((answer) => answer !== undefined)
    return sent.length > 0 ? batchAnswer(sent) : undefined
  }

  /** Answers a request of which no call is run. Reading it was work too. */
  function refuseText(request: RequestScope, answer: Answer): Answer {
    if (limits && request.caller) limits.charge(request.caller, BASE_PRICE)
    return answer
  }

  function answerText(text: string, request: RequestScope, calls?: ObservedCall[]): Answered {
    if (text.length <= LARGE_BODY) return answerParsed(text, request, calls)
    // Parsing a large body takes long, also if it is refused then.
    if (limits && request.caller) limits.charge(request.caller, bytesPrice(text.length))
    if (!timeSlice.isOver()) return answerParsed(text, request, calls)
    return timeSlice.next(request.signal).then(() => answerParsed(text, request, calls))
  }

  function answerParsed(
    text: string,
    request: RequestScope,
    calls: ObservedCall[] | undefined,
  ): Answered {
    if (text.length > LARGE_TEXT && isDeeper(text, depthLimit))
      return refuseText(request, errorAnswer('null', tooDeep(depthLimit)))
    const known = repeated.find(text)
    if (known) return answerOne(known.value, known.rawId, sharedBy(request, calls))
    let payload: unknown
    try {
      payload = JSON.parse(text)
    } catch {
      return refuseText(request, errorAnswer('null', PARSE_ERROR))
    }
    const { depth, ids } = inspect(text)
    if (depth > depthLimit) return refuseText(request, errorAnswer('null', tooDeep(depthLimit)))
    if (!Array.isArray(payload)) {
      repeated.add(text, { rawId: ids[0], value: payload })
      return answerOne(payload, ids[0], sharedBy(request, calls))
    }
    if (payload.length === 0)
      return refuseText(request, errorAnswer('null', invalidRequest('empty batch')))
    if (payload.length > batchLimit) {
      const { code, message } = new LimitExceededError(
        `Batch size ${payload.length} exceeds the limit of ${batchLimit}`,
      )
      // The client sent an array and expects an array. As in geth, the error has the id of the first call, so that clients that
      // find answers by their ids, as Go's, do not wait.
      const first = payload.findIndex((entry) => !isNotification(entry))
      const id = first === -1 ? 'null' : idText(payload[first], ids[first])
      return refuseText(request, batchAnswer([errorAnswer(id, { code, message })]))
    }
    const work = () => answerBatch(payload as unknown[], ids, request, calls)
    return watch?.isOn() ? watch.batch(payload.length, request, work) : work()
  }

  if (!trace) return { answer: (text, request) => answerText(text, request) }
  return {
    async answer(text, request) {
      const calls: ObservedCall[] = []
      const started = performance.now()
      const answer = await answerText(text, request, calls)
      trace({ bytes: answer?.bytes ?? 0, calls, ms: performance.now() - started })
      return answer
    },
  }
}

export declare namespace createRpcServer {
  type Options = {
    /** Wraps every call of a known method. Its result or error becomes the answer. @default runs the method */
    around?: AroundCall | undefined
    /** Maximum number of calls in one batch. @default 1,000 */
    batchLimit?: number
    /** The context of methods without `request`. @throws RpcError while it is not available */
    context: () => ViewContext | Promise<ViewContext>
    /** Maximum nesting depth of a request. @default 32 */
    depthLimit?: number
    /** Limits of callers. @default none */
    limits?: Pick<CallLimits, 'charge' | 'enter' | 'leave'> | undefined
    /** Whether an answer of this many bytes may be buffered until its client has read it. @default always */
    hasRoom?: (bytes: number) => boolean
    /** Called when a call starts and ends, to find the call that blocks the event loop. */
    loop?: Pick<LoopWatch, 'enter' | 'leave'>
    /** The key is the wire name. */
    methods: Record<string, AnyMethod>
    /** Called after each call with its outcome: `code` is 0 or the JSON-RPC error code. */
    observe?: (call: ObservedCall, request: RequestScope) => void
    /** Called with everything that a handler throws, expected or not. */
    onError: (error: unknown, message: string) => void
    /** Called with each result before it is written. */
    onResult?: ((method: string, params: readonly unknown[], result: unknown) => void) | undefined
    /** Called with each method that does not exist. */
    onUnknown?: ((method: string) => void) | undefined
    /** Largest response, bytes. @default 64 MiB */
    responseLimit?: number
    /** Called once for each request, for the log. Omit it when the log is off. */
    trace?: ((request: { bytes: number; calls: ObservedCall[]; ms: number }) => void) | undefined
    /** Wraps each call and each batch. Omit it without an observer. */
    watch?: CallWatcher
  }
}

/** What the entries of one request share. */
type Shared = {
  /** Their outcomes, for the log; undefined when it is off. */
  readonly calls: ObservedCall[] | undefined
  readonly caller: RequestScope['caller']
  readonly meter: RequestScope['meter']
  readonly request: RequestScope
  readonly room: Room
}

/** One entry of a request. */
type Entry = {
  readonly value: unknown
  /** Its id as it was written, if that is a number. */
  readonly rawId: string | undefined
  readonly shared: Shared
  /** The outcome, if it calls no known method. */
  readonly refused: Outcome | undefined
  /** The method, or what stands for it in limits. */
  readonly name: string
  /** When it began to run, in monotonic milliseconds. */
  started: number
}

/** The outcome of an entry. */
type Outcome = {
  /** Undefined for a notification. */
  answer: Answer | undefined
  /** 0, or the JSON-RPC error code. */
  code: number
  method: string
}

/** Whether a method has no result yet. Methods of embedders may return promises of libraries. */
function isThenable(result: unknown): result is PromiseLike<unknown> {
  return typeof (result as { then?: unknown } | null | undefined)?.then === 'function'
}

/** Remaining bytes of the response limit; negative once an answer exceeded it. */
type Room = { left: number }

function take(room: Room, bytes: number): boolean {
  room.left = bytes <= room.left ? room.left - bytes : -1
  return room.left >= 0
}

/** Entries of one batch in flight: fewer than the sockets of a node (40). */
const BATCH_CONCURRENCY = 16

/** Characters of a request that takes a millisecond to parse. */
const LARGE_BODY = 100_000

/** Characters from which a request is checked for its depth before it is parsed. Parsing a shorter one is fast at any depth. */
const LARGE_TEXT = 5_000
