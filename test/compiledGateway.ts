import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { inject } from 'vitest'

import type * as GatewayModule from '../src/gateway.ts'

/**
 * `createGateway` of the compiled package, for gateways with a log index: its threads start at once. Threads from the sources load the
 * loader of TypeScript first, which is most of the work of such a test.
 */
export async function loadCreateGateway(): Promise<typeof GatewayModule.createGateway> {
  const url = pathToFileURL(join(inject('package'), 'dist', 'gateway.js')).href
  const { createGateway } = (await import(url)) as typeof GatewayModule
  return createGateway
}
