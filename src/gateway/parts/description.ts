import type { Config } from '../../config/config.ts'
import { VERSION } from '../../lib/version.ts'
import type { AnyMethod } from '../../rpc/method.ts'
import { openRpcDocument } from '../../rpc/openrpc/document.ts'
import examples from '../../rpc/openrpc/examples.json' with { type: 'json' }
import { createDiscoverMethod } from '../../rpc/openrpc/rpc.discover.ts'

/** Describes a table of methods, for tools and for the console of the page. @param ownUrl - base URL of the gateway, for the answer of `rpc.discover` */
export function describe(table: Record<string, AnyMethod>, config: Config, ownUrl: () => string) {
  const document = (url: string) =>
    openRpcDocument({ examples, limits: limitsOf(config), methods, url, version: VERSION })
  const discover = createDiscoverMethod(() => document(ownUrl()))
  const methods: Record<string, AnyMethod> = {
    ...table,
    'rpc.discover': discover,
    rpc_discover: discover,
  }
  return {
    /** The table with `rpc.discover`, also under the name `rpc_discover`. */
    methods,
    /** The OpenRPC document. @param url - base URL with which the client reaches the gateway */
    document,
    /** Methods that are served, by name. */
    served: Object.entries(methods)
      .filter(([, { kind = 'served' }]) => kind !== 'refused')
      .map(([name, { summary }]) => ({ name, summary }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

/** The limits for callers. */
function limitsOf(config: Config) {
  const { batchLimit, bodyLimit, depthLimit, logsMaxBlocks, logsMaxResults, responseLimit } = config
  return { batchLimit, bodyLimit, depthLimit, logsMaxBlocks, logsMaxResults, responseLimit }
}
