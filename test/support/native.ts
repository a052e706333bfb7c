import { createNodeClient, type NativeClient } from '../../src/native/client.ts'
import { createHttpTransport } from '../../src/native/transport/transport.ts'
import { atEnd } from './atEnd.ts'
import { type ReplayNode, startReplayNode } from './node.ts'

/** A native client of a separate replay node. Both end with the test. */
export async function createReplayNative(
  options: startReplayNode.Options = {},
): Promise<{ native: NativeClient; node: ReplayNode }> {
  const node = await startReplayNode(options)
  const native = createNodeClient({ transport: createHttpTransport({ upstream: node.url }) })
  atEnd(async () => {
    await native.close()
    await node.close()
  })
  return { native, node }
}
