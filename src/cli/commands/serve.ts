import type { Command } from 'commander'

import { upstreamsOf } from '../../config/upstreamList.ts'
import { addCommand } from '../support/command.ts'
import { addConfigOptions, configOf } from '../support/configOptions.ts'
import { CommandError, usageError } from '../support/errors.ts'

/** Declares `ethgate serve`: the gateway in front of a node. */
export function addServeCommand(program: Command): void {
  const command = addCommand(program, 'serve', {
    summary: 'serve Ethereum JSON-RPC in front of a node',
    description:
      'Serves Ethereum JSON-RPC over HTTP and WebSocket in front of a node’s HTTP API. If the node is down, it waits for the node.',
    examples: [
      ['ethgate serve --upstream http://127.0.0.1:8090', 'a node on this machine'],
      [
        'ethgate serve --upstream http://127.0.0.1:8090 --redis redis://127.0.0.1:6379',
        'a replica',
      ],
      [
        'ethgate serve --upstream http://10.0.0.1:8090 --upstream http://10.0.0.2:8090',
        'two nodes behind one gateway',
      ],
      ['ethgate serve --config ethgate.yaml', 'nodes and settings from a file'],
    ],
  })
  addConfigOptions(command).action(async (flags) => {
    const config = configOf(flags)
    if (upstreamsOf(config).length === 0)
      throw usageError(
        'the node is missing: give --upstream URL (or ETHGATE_UPSTREAM), such as http://127.0.0.1:8090; "ethgate dev" needs none',
      )
    const { serve } = await import('../../gateway/process/serve.ts')
    try {
      await serve({
        config,
        readAgain: config.config === undefined ? undefined : () => configOf(flags),
      })
    } catch (error) {
      throw new CommandError((error as Error).message, { cause: error })
    }
  })
}
