// Writes src/rpc/openrpc/examples.json: the answers of the recorded chain to test/support/openrpcCalls.ts.
import { writeFileSync } from 'node:fs'

import { post } from '../test/support/client.ts'
import { startGateway } from '../test/support/gateway.ts'
import { exampleCalls } from '../test/support/openrpcCalls.ts'

const gateway = await startGateway()
const examples: Record<string, { params: readonly unknown[]; result: unknown }> = {}
for (const [method, params] of exampleCalls) {
  const { error, result } = await post(gateway.url, method, [...params])
  if (error) throw new Error(`${method}: ${error.message}`)
  examples[method] = { params, result }
}
await gateway.close()
writeFileSync(
  new URL('../src/rpc/openrpc/examples.json', import.meta.url),
  `${JSON.stringify(examples, null, 2)}\n`,
)
