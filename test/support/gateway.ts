import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { inject, onTestFinished, TestRunner } from 'vitest'

import type { Config } from '../../src/config/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createLog } from '../../src/gateway/log.ts'
import { secretsIn } from '../../src/lib/secrets.ts'
import type { NativeTransport } from '../../src/native/transport/transport.ts'
import type { ScriptedChain } from './chain.ts'
import { createClient } from './client.ts'
import { type ReplayNode, startReplayNode } from './node.ts'

/** A gateway on a free port. */
export type TestGateway = Awaited<ReturnType<typeof startGateway>>

/**
 * Starts a gateway, as `ethgate serve` runs it, in front of a replay node or of what the options name. It ends with the running
 * test; outside of a test the caller closes it.
 */
export async function startGateway(options: startGateway.Options = {}) {
  const prepared = await prepareGateway(options)
  try {
    const { url } = await prepared.start()
    return Object.assign(prepared, createClient(url))
  } catch (error) {
    await prepared.close()
    throw error
  }
}

/** Creates a gateway like `startGateway`, which the test starts itself. */
export async function prepareGateway({
  chain,
  compiled = false,
  config = {},
  intercept,
  own,
  transport = chain?.transport,
  ...more
}: startGateway.Options = {}) {
  const isReplay = !own && !transport && !config.upstream && !config.upstreams
  const replay = isReplay ? await startReplayNode(intercept ? { intercept } : {}) : undefined
  const lines: Record<string, unknown>[] = []
  const destination = {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  }
  const create = compiled ? await loadCreateGateway() : createGateway
  const gateway = create({
    config: {
      port: 0,
      // The accounts of the recorded chain have sent transactions before.
      ...(replay && { newRecord: true, upstream: replay.url, upstreamRpc: replay.rpcUrl }),
      ...config,
    },
    log: createLog('debug', destination, secretsIn([config.upstream])),
    ...((own || transport) && {
      own: { ...(chain && { isInProcess: false }), ...(transport && { transport }), ...own },
    }),
    ...more,
  })
  const closing: (() => unknown)[] = []
  let closed: Promise<void> | undefined
  async function stop() {
    for (const end of closing) end()
    await gateway.stop()
    await replay?.close()
  }
  const close = () => (closed ??= stop())
  if (TestRunner.getCurrentTest()) onTestFinished(close)
  return {
    /** Stops the gateway and its replay node. */
    close,
    gateway,
    /** Its log. */
    lines,
    /** The replay node. @throws Error when the options name something else */
    get node(): ReplayNode {
      if (!replay) throw new Error('this gateway has no replay node')
      return replay
    },
    async start() {
      const address = await gateway.start()
      if (chain) {
        const { head } = await gateway.ready
        closing.push(chain.onChange(() => head.pollNow()))
      }
      return address
    },
  }
}

export declare namespace startGateway {
  type Options = startReplayNode.Options &
    Omit<createGateway.Options, 'config'> & {
      /** A chain in this process. The gateway polls after each of its changes. @default a replay node, or that of `config` */
      chain?: ScriptedChain
      /**
       * Runs the compiled package, for gateways with a log index, because its threads start fast. Threads from the sources
       * first load the TypeScript loader, which would take most of the time of such a test. @default false
       */
      compiled?: boolean
      /** Settings that differ from the defaults. */
      config?: Partial<Config>
      /** Leads to a chain in this process. */
      transport?: NativeTransport | undefined
    }
}

/** The settings of a node that serves its solidified state on the next port. */
export function realNode(upstream: string) {
  const solidity = new URL(upstream)
  solidity.port = String(Number(solidity.port) + 1)
  return { upstream, upstreamSolidity: solidity.origin }
}

/** `createGateway` of the compiled package. */
async function loadCreateGateway(): Promise<typeof createGateway> {
  const url = pathToFileURL(join(inject('package'), 'dist', 'gateway.js')).href
  return ((await import(url)) as { createGateway: typeof createGateway }).createGateway
}
