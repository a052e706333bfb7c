import { type Config, ConfigError } from '../../config/config.ts'
import { sleep } from '../../lib/sleep.ts'
import type { CallLimits } from '../../limits/limits.ts'
import type { NodeRpc } from '../../native/transport/nodeRpc.ts'
import { createVerifier, type Verifier } from '../../rpc/compare/verifier.ts'
import type { Context } from '../../rpc/context.ts'
import { createExplainMethod } from '../../rpc/explain/ethgate_explain.ts'
import { createLimitsMethod } from '../../rpc/explain/ethgate_limits.ts'
import type { AroundCall } from '../../rpc/jsonrpc/call.ts'
import { limited, withResults, withUnknown } from '../../rpc/jsonrpc/middleware.ts'
import { createRpcServer, type RpcServer } from '../../rpc/jsonrpc/server.ts'
import type { AnyMethod } from '../../rpc/method.ts'
import { methodsOf } from '../../rpc/methods/view.ts'
import { withUnitHints } from '../../rpc/wei/hint.ts'
import { weiMethods } from '../../rpc/wei/methods.ts'
import { describe } from './description.ts'
import { createInProcessClient } from './inProcessClient.ts'
import type { Telemetry } from './telemetry.ts'

/**
 * Creates one server for each view of the chain. Their calls share the log, the metrics and the limits.
 *
 * @throws ConfigError when answers are to be compared and no node has a JSON-RPC.
 */
export function createRpcServers({
  config,
  contextOf,
  host: { around, onUnknown },
  limits,
  methods: extraMethods,
  node,
  place: { coinDecimals, url },
  telemetry,
}: createRpcServers.Options) {
  const { aroundBatch, inner, metrics, onError, outer, recorder, trace } = telemetry

  function serverOf(
    view: 'full' | 'solid',
    methods: Record<string, AnyMethod>,
    onResult?: Verifier['observe'],
  ): RpcServer {
    return createRpcServer({
      around,
      config,
      context: () => contextOf(view),
      limits,
      methods,
      middleware: [
        ...outer,
        ...(onUnknown ? [withUnknown(onUnknown)] : []),
        limited(limits),
        ...inner,
        ...(onResult ? [withResults(onResult, onError)] : []),
      ],
      onError,
      trace: { batch: aroundBatch, request: trace },
    })
  }

  /** Compares a share of the answers with the node’s own JSON-RPC. */
  function verifierOf(rpc: NodeRpc | undefined): Verifier {
    if (!rpc)
      throw new ConfigError('--verify-rate', 'needs --upstream-rpc, the node’s own JSON-RPC')
    return createVerifier({
      rate: config.verifyRate,
      sleep,
      ours: (method, params) => client.request({ method, params }),
      theirs: (method, params) => rpc.call(method, [...params]),
      onOutcome: (method, outcome) => metrics.verified.inc({ method, outcome }),
    })
  }

  const client = createInProcessClient(() => full)
  const explain = createExplainMethod({ recorder, request: client.requestFor })
  const methods = methodsOf('full', extraMethods)
  const description = describe(
    { ...methods, ethgate_explain: explain, ethgate_limits: createLimitsMethod(limits) },
    config,
    url,
  )
  const verifier = config.verifyRate === 0 ? undefined : verifierOf(node.rpc())
  const served = coinDecimals === 18 ? description.methods : withUnitHints(description.methods)
  const full = serverOf('full', served, verifier && ((...call) => verifier.observe(...call)))
  return {
    /** Of the methods of the full view. */
    description,
    full,
    /** As of the solidified block: `/solidity`. */
    solid: serverOf('solid', methodsOf('solid', extraMethods)),
    /** The full view with other methods of the same name. */
    with: (others: Record<string, AnyMethod>): RpcServer =>
      serverOf('full', { ...served, ...others }),
    /** Amounts with 18 decimals: `/wei`. */
    wei: coinDecimals === 18 ? full : serverOf('full', weiMethods(methods)),
    /** Compares answers with a second source; undefined when that is off. */
    verifier,
    /** One call on the full view, in this process. @throws RpcError */
    request: client.request,
  }
}

export declare namespace createRpcServers {
  type Options = {
    config: Config
    /** The context of a view. @throws RpcError while the node has not answered */
    contextOf: (view: 'full' | 'solid') => Context | Promise<Context>
    host: {
      /** Wraps every call, to observe it. */
      around?: AroundCall | undefined
      /** Called with each method that does not exist. */
      onUnknown?: ((method: string) => void) | undefined
    }
    /** `hasRoom` says whether an answer of this many bytes may wait for its reader. */
    limits: CallLimits & { hasRoom: (bytes: number, client: string) => boolean }
    /** More methods, by wire name. They replace those of the same name. */
    methods: Record<string, AnyMethod>
    node: { rpc(): NodeRpc | undefined }
    /** Where the gateway listens, and the decimals of the coin. With 18, `/wei` is the full view itself. */
    place: { coinDecimals: 6 | 18; url: () => string }
    telemetry: Telemetry
  }
}
