import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { inject } from 'vitest'

import type * as GatewayModule from '../../src/gateway/gateway.ts'

/**
 * `createGateway` of the compiled package, for gateways with a log index, because its threads start fast. Threads from the
 * sources first load the TypeScript loader, which would take most of the time of such a test.
 */
export async function loadCreateGateway(): Promise<typeof GatewayModule.createGateway> {
  const url = pathToFileURL(join(inject('package'), 'dist', 'gateway.js')).href
  const { createGateway } = (await import(url)) as typeof GatewayModule
  return createGateway
}
