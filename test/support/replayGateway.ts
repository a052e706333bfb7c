import { onTestFinished } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createLog, secretsIn } from '../../src/gateway/log.ts'
import { startReplayNode } from './node.ts'

/**
 * A gateway in front of a replay node, with its log. The test starts it; both end with the test.
 *
 * @param config - settings that differ from the defaults.
 */
export async function setupReplayGateway(
  config: Partial<Config> = {},
  options: Omit<createGateway.Options, 'config'> & {
    intercept?: startReplayNode.Options['intercept']
  } = {},
) {
  const { intercept, ...rest } = options
  const node = await startReplayNode(intercept ? { intercept } : {})
  const lines: Record<string, unknown>[] = []
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  }
  const log = createLog('debug', destination, secretsIn([config.upstream]))
  const gateway = createGateway({
    config: { port: 0, upstream: node.url, ...config },
    log,
    ...rest,
  })
  onTestFinished(async () => {
    await gateway.stop()
    await node.close()
  })
  return { gateway, lines, node }
}
