import type { Config } from '../../config/config.ts'
import { sleep } from '../../lib/sleep.ts'
import type { NodeRpc } from '../../native/transport/rpc.ts'
import { createVerifier, type Verifier } from '../../rpc/compare/verifier.ts'
import type { Metrics } from '../metrics.ts'
import type { Caller } from './caller.ts'

/**
 * Compares a share of the answers with the node’s own JSON-RPC; undefined when `verifyRate` is 0.
 *
 * @throws TypeError when there is no JSON-RPC to compare with.
 */
export function createSampling({
  config,
  metrics,
  nodeRpc,
  request,
}: createSampling.Options): Verifier | undefined {
  if (config.verifyRate === 0) return undefined
  const rpc = nodeRpc()
  if (!rpc) throw new TypeError('--verify-rate needs --upstream-rpc, the node’s own JSON-RPC')
  return createVerifier({
    rate: config.verifyRate,
    sleep,
    ours: (method, params) => request({ method, params }),
    theirs: (method, params) => rpc.call(method, [...params]),
    onOutcome: (method, outcome) => metrics.verified.inc({ method, outcome }),
  })
}

export declare namespace createSampling {
  type Options = {
    config: Config
    metrics: Metrics
    nodeRpc: () => NodeRpc | undefined
    request: Caller['request']
  }
}
