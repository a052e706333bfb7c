import type { Config } from '../../config/config.ts'
import { RpcError } from '../../lib/errors.ts'
import type { LoopWatch } from '../../lib/loopWatch.ts'
import type { NodeRpc } from '../../native/transport/rpc.ts'
import type { Verifier } from '../../rpc/compare/verifier.ts'
import type { ViewContext } from '../../rpc/context.ts'
import { markOutcome, watchCalls } from '../../rpc/explain/calls.ts'
import { createExplainMethod } from '../../rpc/explain/ethgate_explain.ts'
import type { CallRecorder } from '../../rpc/explain/recorder.ts'
import type { AroundCall, ObservedCall } from '../../rpc/jsonrpc/observe.ts'
import { createRpcServer, type RpcServer } from '../../rpc/jsonrpc/server.ts'
import type { AnyMethod } from '../../rpc/method.ts'
import { methodsOf } from '../../rpc/methods/view.ts'
import { ClientGoneError, type RequestScope } from '../../rpc/request.ts'
import { weiMethods } from '../../rpc/wei/methods.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { AskedNodes } from './askedNodes.ts'
import { createCaller, type Caller } from './caller.ts'
import { describe, type Description } from './describing.ts'
import { createRequestLog } from './requestLog.ts'
import { createSampling } from './sampling.ts'

/** The JSON-RPC servers of a gateway, and the descriptions of their methods. */
export type RpcServers = {
  readonly description: Description
  readonly full: RpcServer
  /** As of the solidified block: `/solidity`. */
  readonly solid: RpcServer
  /** Amounts with 18 decimals: `/wei`. */
  readonly wei: RpcServer
  /** Compares answers with a second source; undefined when that is off. */
  readonly verifier: Verifier | undefined
  /** One call on the full view, in this process. @throws RpcError */
  request: Caller['request']
  /** Logs an error. An `RpcError` is logged at debug level. */
  readonly onError: (error: unknown, message: string) => void
}

/** Creates one server for each view of the chain. Their calls share the log, the metrics and the limits. */
export function createRpcServers({
  around,
  asked,
  coinDecimals,
  config,
  contextOf,
  extraMethods,
  hasRoom,
  isTraced,
  log,
  loop,
  metrics,
  nodeRpc,
  onCall,
  onUnknown,
  ownUrl,
  recorder,
}: createRpcServers.Options): RpcServers {
  const requestLog = createRequestLog({
    log,
    slow: config.slow,
    upstreams: ({ signal }, since) => asked.since(signal, since),
  })
  const watch = watchCalls({ isOn: isTraced, recorder })

  function onError(error: unknown, message: string): void {
    if (error instanceof ClientGoneError) return
    if (error instanceof RpcError) log.debug({ err: error }, message)
    else log.error({ err: error }, message)
  }

  function observe(call: ObservedCall, scope: RequestScope): void {
    metrics.call(call.method, call.code, call.ms / 1000)
    onCall(call)
    requestLog.call(call, scope)
    markOutcome(recorder, call)
  }

  function serverOf(
    view: 'full' | 'solid',
    methods: Record<string, AnyMethod>,
    onResult?: Verifier['observe'],
  ): RpcServer {
    return createRpcServer({
      around,
      batchLimit: config.batchLimit,
      context: () => contextOf(view),
      depthLimit: config.depthLimit,
      hasRoom,
      loop,
      methods,
      observe,
      onError,
      onResult,
      onUnknown,
      responseLimit: config.responseLimit,
      trace: requestLog.trace,
      watch,
    })
  }

  const caller = createCaller(() => full)
  const request: Caller['request'] = (call) => caller.request(call)
  const explain = createExplainMethod({
    recorder,
    request: (call, scope) => caller.requestFor(call, scope),
  })
  const methods = methodsOf('full', extraMethods)
  const description = describe({ ...methods, ethgate_explain: explain }, config, ownUrl)
  const verifier = createSampling({ config, metrics, nodeRpc, request })
  const full = serverOf('full', description.methods, (method, params, result) =>
    verifier?.observe(method, params, result),
  )
  return {
    description,
    full,
    solid: serverOf('solid', methodsOf('solid', extraMethods)),
    wei: coinDecimals === 18 ? full : serverOf('full', weiMethods(methods)),
    verifier,
    request,
    onError,
  }
}

export declare namespace createRpcServers {
  type Options = {
    /** Wraps every call, to observe it. */
    around?: AroundCall | undefined
    asked: AskedNodes
    /** Decimals of the coin on this chain. With 18, `/wei` is the full view itself. */
    coinDecimals: 6 | 18
    config: Config
    /** The context of a view. @throws RpcError while the node has not answered */
    contextOf: (view: 'full' | 'solid') => ViewContext | Promise<ViewContext>
    /** More methods, by wire name. They replace those of the same name. */
    extraMethods: Record<string, AnyMethod>
    /** Whether an answer of this many bytes may wait for its reader. */
    hasRoom: (bytes: number) => boolean
    /** Whether calls are traced; read at every call. */
    isTraced: () => boolean
    log: Log
    loop: LoopWatch
    metrics: Metrics
    nodeRpc: () => NodeRpc | undefined
    /** Called after every call with its outcome. */
    onCall: (call: ObservedCall) => void
    /** Called with each method that does not exist. */
    onUnknown?: ((method: string) => void) | undefined
    /** Where the gateway listens. */
    ownUrl: () => string
    recorder: CallRecorder
  }
}
