import {
  createJSONRPCSuccessResponse,
  type JSONRPCRequest,
  type JSONRPCResponse,
  JSONRPCServer,
} from 'json-rpc-2.0'

import { type CallGroup, openCallGroup } from '../../lib/callGroup.ts'
import { LimitExceededError, RpcError } from '../../lib/errors.ts'
import type { LoopWatch } from '../../lib/loopWatch.ts'
import { timeSlice } from '../../lib/timeSlice.ts'
import { isWire } from '../../lib/wire.ts'
import type { CallLimits } from '../../limits/limits.ts'
import { BASE_PRICE, bytesPrice } from '../../limits/prices.ts'
import type { ViewContext } from '../context.ts'
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
import { faultOf, idText, isNotification, shownId } from './entry.ts'
import {
  INTERNAL,
  invalidRequest,
  methodNotFound,
  PARSE_ERROR,
  toErrorResponse,
  tooDeep,
  tooLarge,
  TOO_MUCH_UNSENT,
} from './failures.ts'
import { inspect, isDeeper } from './inspect.ts'
import { type AroundCall, type CallWatcher, type ObservedCall, watchedCall } from './observe.ts'

/** Answers JSON-RPC requests. */
export type RpcServer = {
  /** Answers the text of one request or batch; undefined when it contains only notifications. Never rejects. */
  answer(text: string, request: RequestScope): Promise<Answer | undefined>
}

/**
 * A JSON-RPC 2.0 server for a table of methods. Params are read by position only. `context` is called for every call and may
 * throw while the services are not available yet.
 */
export function createRpcServer({
  around,
  batchLimit = 100,
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
  const server = new JSONRPCServer<CallScope>({
    errorListener: (message, error) => onError(error, message),
  })
  server.mapErrorToJSONRPCErrorResponse = toErrorResponse
  const served = Object.keys(methods).filter((name) => methods[name]?.kind !== 'refused')
  for (const [name, method] of Object.entries(methods))
    server.addMethodAdvanced(name, async ({ id, params }, call) => {
      const result = await runMethod(name, method, params, call)
      onResult?.(name, (params ?? []) as unknown[], result)
      return id === undefined ? null : createJSONRPCSuccessResponse(id, result)
    })

  function runMethod(
    name: string,
    method: AnyMethod,
    input: unknown,
    { scope }: CallScope,
  ): unknown {
    if (!Array.isArray(input ?? []))
      throw new RpcError(-32602, 'invalid params: expected an array, by position')
    const params = (input ?? []) as unknown[]
    const shared = context()
    const run = (view: ViewContext): unknown => {
      // Inherits instead of copying, because a context has ten members and one of them is a getter.
      const context = Object.assign(Object.create(view) as ViewContext, { request: scope })
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
    const { id, method } = entry as JSONRPCRequest
    if (server.hasMethod(method)) return undefined
    onUnknown?.(method)
    const answer =
      id === undefined
        ? undefined
        : errorAnswer(idText(entry, rawId), methodNotFound(method, served))
    return { answer, code: -32601, method: 'unknown' }
  }

  /** The outcome of a call: always an answer for a request, none for a notification. */
  function outcomeOf(
    response: JSONRPCResponse | null,
    { method }: JSONRPCRequest,
    id: string,
  ): Outcome {
    // json-rpc-2.0 returns nothing for a notification, even if it failed.
    if (!response) return { answer: undefined, code: 0, method }
    if (response.error)
      return { answer: errorAnswer(id, response.error), code: response.error.code, method }
    try {
      const { result } = response
      const answer = isWire(result) ? wireAnswer(id, result) : resultAnswer(id, result)
      return { answer, code: 0, method }
    } catch (error) {
      onError(error, `the result of ${method} cannot be serialised as JSON`)
      return { answer: errorAnswer(id, INTERNAL), code: INTERNAL.code, method }
    }
  }

  const answerOne: typeof answerWithin = watch
    ? (entry, rawId, request, calls, room) =>
        watch.isOn()
          ? watch.call(watchedCall(entry, methods), request, () =>
              answerWithin(entry, rawId, request, calls, room),
            )
          : answerWithin(entry, rawId, request, calls, room)
    : answerWithin

  /** Answers one entry within the remaining response limit, and settles its delivery. */
  async function answerWithin(
    entry: unknown,
    rawId: string | undefined,
    request: RequestScope,
    calls: ObservedCall[] | undefined,
    room: Room,
  ): Promise<Answer | undefined> {
    const refused = refuseEntry(entry, rawId)
    const name = refused?.method ?? (entry as JSONRPCRequest).method
    const asked = denialOf(entry, name, request)
    const denied = asked instanceof Promise ? await asked : asked
    if (denied) {
      const now = performance.now()
      const observed = { code: denied.code, id: shownId(entry), method: name, ms: 0, started: now }
      observe(observed, request)
      calls?.push(observed)
      return isNotification(entry) ? undefined : refusedAnswer(idText(entry, rawId), denied)
    }
    const started = loop.enter(name)
    const call = refused ? undefined : createCallScope(request)
    const { answer, code, method } =
      refused ??
      outcomeOf(
        await server.receive(entry as JSONRPCRequest, call),
        entry as JSONRPCRequest,
        idText(entry, rawId),
      )
    const ms = loop.leave(method) - started
    const refusal = answer && refusalOf(answer, room)
    if (limits && request.caller && request.meter)
      limits.leave(request.caller, name, request.meter, answer?.bytes ?? 0)
    const observed = { code: refusal?.code ?? code, id: shownId(entry), method, ms, started }
    observe(observed, request)
    calls?.push(observed)
    if (call) {
      if (answer && code === 0 && !refusal) deliverCall(call)
      else dropCall(call)
    }
    return refusal ? errorAnswer(idText(entry, rawId), refusal) : answer
  }

  /** Why a call may not run; undefined when it may. A promise only when the limits of the caller have to be asked for. */
  function denialOf(
    entry: unknown,
    method: string,
    request: RequestScope,
  ): RpcError | undefined | Promise<RpcError | undefined> {
    const { caller } = request
    if (!limits || !caller) return undefined
    return limits.enter(caller, method, (entry as { params?: unknown } | null)?.params)
  }

  /** Why an answer is not sent; undefined when it is. */
  function refusalOf({ bytes }: Answer, room: Room) {
    if (!take(room, bytes)) return tooLarge(responseLimit)
    return hasRoom(bytes) ? undefined : TOO_MUCH_UNSENT
  }

  async function answerBatch(
    entries: readonly unknown[],
    ids: readonly (string | undefined)[],
    request: RequestScope,
    calls: ObservedCall[] | undefined,
  ): Promise<Answer | undefined> {
    const answers: (Answer | undefined)[] = []
    const room: Room = { left: responseLimit }
    let group: CallGroup | undefined
    const scope = withSignal(request, () => (group ??= openCallGroup(request.signal)).signal)
    let next = 0
    const worker = async () => {
      while (next < entries.length && !request.signal.aborted) {
        const index = next++
        const entry = entries[index]
        if (room.left < 0) {
          // The response is already too large, so the remaining entries are not executed.
          if (isNotification(entry)) continue
          answers[index] = errorAnswer(idText(entry, ids[index]), tooLarge(responseLimit))
          continue
        }
        answers[index] = await answerOne(entry, ids[index], scope, calls, room)
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

  async function answerText(
    text: string,
    request: RequestScope,
    calls?: ObservedCall[],
  ): Promise<Answer | undefined> {
    // Parsing a large body takes long, also if it is refused then.
    if (text.length > LARGE_BODY) {
      if (limits && request.caller) limits.charge(request.caller, bytesPrice(text.length))
      if (timeSlice.isOver()) await timeSlice.next(request.signal)
    }
    if (text.length > LARGE_TEXT && isDeeper(text, depthLimit))
      return refuseText(request, errorAnswer('null', tooDeep(depthLimit)))
    let payload: unknown
    try {
      payload = JSON.parse(text)
    } catch {
      return refuseText(request, errorAnswer('null', PARSE_ERROR))
    }
    const { depth, ids } = inspect(text)
    if (depth > depthLimit) return refuseText(request, errorAnswer('null', tooDeep(depthLimit)))
    if (!Array.isArray(payload))
      return await answerOne(payload, ids[0], request, calls, { left: responseLimit })
    if (payload.length === 0)
      return refuseText(request, errorAnswer('null', invalidRequest('empty batch')))
    if (payload.length > batchLimit) {
      const { code, message } = new LimitExceededError(
        `Batch size ${payload.length} exceeds the limit of ${batchLimit}`,
      )
      // The client sent an array and expects an array.
      return refuseText(request, batchAnswer([errorAnswer('null', { code, message })]))
    }
    const work = () => answerBatch(payload as unknown[], ids, request, calls)
    return await (watch?.isOn() ? watch.batch(payload.length, request, work) : work())
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
    /** Maximum number of calls in one batch. @default 100 */
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

/** The outcome of an entry. */
type Outcome = {
  /** Undefined for a notification. */
  answer: Answer | undefined
  /** 0, or the JSON-RPC error code. */
  code: number
  method: string
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
