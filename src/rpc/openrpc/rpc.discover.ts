import { type AnyMethod, defineMethod } from '../method.ts'
import type { OpenRpcDocument } from './document.ts'

/** `rpc.discover` of the OpenRPC specification: the OpenRPC document of this gateway. */
export function createDiscoverMethod(document: () => OpenRpcDocument): AnyMethod {
  return defineMethod({
    params: [],
    result: { type: 'object', required: ['openrpc', 'info', 'methods'] },
    summary: 'the OpenRPC document of this gateway: methods, parameters, results, errors, limits',
    handler: () => document(),
  })
}
