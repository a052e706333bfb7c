import type { Chain } from './chain/chainTypes.ts'
import type { Config } from './config.ts'
import type { RequestScope } from './jsonrpc/request.ts'
import type { NativeClient } from './native/client.ts'

/**
 * Everything a method may touch. `gateway.ts` builds the services once for each view (full, solid); the server adds
 * `request` for each call.
 */
export type Context = {
  chain: Chain
  config: Config
  native: NativeClient
  request: RequestScope
}
