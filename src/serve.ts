import { setFlagsFromString } from 'node:v8'

import type { Config } from './config.ts'
import { createGateway, type Gateway } from './gateway.ts'
import type { Health } from './http/health.ts'
import { createLog, type Log } from './log.ts'
import { collectProcessMetrics } from './metrics.ts'
import { onShutdown } from './shutdown.ts'

/**
 * Runs a gateway until a signal ends the process: what `serve` and `dev` have in common. Resolves when it listens.
 *
 * @throws Error whose message says what to do, when it cannot listen or the node cannot be used.
 */
export async function serve({ config, onStop, ...options }: serve.Options): Promise<serve.Running> {
  // V8 learns which literals survive young collections and then makes them old at birth. The objects of a request are
  // dead within a millisecond, but once some are made old they keep all that follow alive: measured on hot calls, a
  // third of each young generation survived, at a page fault a request.
  setFlagsFromString('--no-allocation-site-pretenuring')
  const log = createLog(config.logLevel)
  const gateway = createGateway({ config, log, ...options })
  collectProcessMetrics(gateway.metrics)
  const stop = async () => {
    await gateway.stop()
    await onStop?.()
  }
  const shutdown = onShutdown({
    async stop(reason) {
      log.info({ reason }, 'stopping')
      await stop()
    },
  })
  let address: { port: number; url: string }
  try {
    address = await gateway.start()
  } catch (error) {
    await stop()
    throw explain(error, config)
  }
  const { status, upstream } = gateway.health()
  if (status === 'down') complain(waitingFor(upstream))
  gateway.ready.catch((error: unknown) => {
    complain(explain(error, config).message)
    process.exitCode = 1
    void stop().finally(() => process.exit(1))
  })
  return { ...address, gateway, log, shutdown: (reason) => shutdown.run(reason) }
}

export declare namespace serve {
  type Options = Omit<createGateway.Options, 'config' | 'log'> & {
    config: Config
    /** Runs after the gateway has stopped. */
    onStop?: () => Promise<void>
  }
  type Running = {
    gateway: Gateway
    log: Log
    port: number
    url: string
    shutdown(reason: string): Promise<void>
  }
}

function waitingFor({ solidity, wallet }: Health['upstream']): string {
  return wallet === solidity
    ? `waiting for ${wallet}, which does not answer; is --upstream right?`
    : `waiting for ${wallet} or ${solidity}, which do not both answer; are --upstream and --upstream-solidity right?`
}

function complain(line: string) {
  process.stderr.write(`ethgate: ${line}\n`)
}

/** Says what to do about an error of the system. */
function explain(error: unknown, { host, port }: Config): Error {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Error(`port ${port} of ${host} is taken: choose another with --port`, {
      cause: error,
    })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new Error(`${host} is not an address of this machine: choose another with --host`, {
      cause: error,
    })
  if (code === 'EACCES')
    return new Error(`port ${port} may not be opened: choose one above 1023 with --port`, {
      cause: error,
    })
  return error as Error
}
