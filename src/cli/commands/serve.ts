import cluster from 'node:cluster'

import { type Command, Option } from 'commander'

import type { Config } from '../../config/config.ts'
import { upstreamsOf } from '../../config/upstreamList.ts'
import { partOf } from '../../gateway/process/worker.ts'
import { CommandError, usageError } from '../base/errors.ts'
import { addCommand } from '../words/command.ts'
import { addConfigOptions, configOf, NODE_MISSING } from '../words/configOptions.ts'
import { simulatorFor } from '../words/simulator.ts'

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
      [
        'ethgate serve --upstream http://127.0.0.1:8090 --redis redis://127.0.0.1:6379 --workers auto',
        'a process for each core',
      ],
      ['ethgate serve --config ethgate.yaml', 'nodes and settings from a file'],
    ],
  })
  addConfigOptions(command).action(async (flags) => {
    const read = () => partOf(configOf(flags))
    const config = cluster.isPrimary ? configOf(flags) : read()
    if (upstreamsOf(config).length === 0) throw usageError(NODE_MISSING)
    if (config.workers > 1 && config.redis === undefined)
      throw usageError(
        `workers share filters and the head through Redis: start one with "redis-server", then "ethgate serve … --workers ${config.workers} --redis redis://127.0.0.1:6379"`,
      )
    if (config.workers > 1 && cluster.isPrimary) return runPrimary(config)
    const { serve } = await import('../../gateway/process/serve.ts')
    const createSimulator = await simulatorFor(config)
    try {
      await serve({
        config,
        host: {
          artifacts: await artifactsIn(flags['artifacts'] as string | undefined),
          createSimulator,
        },
        readAgain: config.config === undefined ? undefined : read,
      })
    } catch (error) {
      throw new CommandError((error as Error).message, { cause: error })
    }
  })
  const help =
    'build folder of Hardhat or Foundry: pages and the API of Etherscan have the names, ABIs and sources of its contracts'
  command.addOption(new Option('--artifacts <dir>', help).helpGroup('Listen:'))
}

async function artifactsIn(folder: string | undefined) {
  return folder === undefined
    ? undefined
    : (await import('../../devchain/artifacts.ts')).createArtifacts(folder)
}

/** Runs the workers until they have ended, then ends the process. */
async function runPrimary(config: Config): Promise<void> {
  const [{ runWorkers }, { openLog }] = await Promise.all([
    import('../../gateway/process/primary.ts'),
    import('../../gateway/process/serve.ts'),
  ])
  const { log } = await openLog(config)
  const limit = config.drain + config.drainDelay + STOP_MS
  const canReload = config.config !== undefined
  process.exit(await runWorkers({ canReload, count: config.workers, limit, log }))
}

/** Milliseconds that a worker may take to end, in addition to the time for requests in flight. */
const STOP_MS = 3_000
