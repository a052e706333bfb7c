import { setFlagsFromString } from 'node:v8'

import type { Config } from '../../config/config.ts'
import { originOf, upstreamsOf } from '../../config/upstreamList.ts'
import type { Health } from '../../http/health.ts'
import { secretsIn } from '../../lib/secrets.ts'
import type { Upstream } from '../../native/upstream.ts'
import { keyWarnings } from '../../sending/keys.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import { createLog, createLogOutput, type Log, type LogOutput, stdout } from '../log.ts'
import { collectProcessMetrics } from '../metrics.ts'
import { openTracer } from '../tracing/openTracer.ts'
import { reload } from './reload.ts'
import { onShutdown, startWatchdog } from './shutdown.ts'
import { connectWorker } from './worker.ts'
import { REPLACED } from './workerMessages.ts'

/**
 * Runs a gateway until a signal ends the process. Used by `serve` and `dev`. Resolves when it listens.
 *
 * @throws Error when it cannot listen. The message says what to do.
 */
export async function serve({
  config,
  host,
  onStop,
  readAgain,
  ...options
}: serve.Options): Promise<serve.Running> {
  // V8 allocates objects in the old generation if earlier objects of the same literal survived young collections. Objects
  // of a request are unused after a millisecond, but old ones keep the young ones that they refer to alive. Measured on
  // cached calls: a third of each young generation survived, with one page fault for each request.
  setFlagsFromString('--no-allocation-site-pretenuring')
  // Without a listener, an error such as a full disk or a closed pipe would end the process.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  let prepare: () => void = () => {}
  const prepared = new Promise<void>((resolve) => (prepare = resolve))
  // The primary process may ask a worker that still starts.
  const worker = connectWorker({
    onReload: () => void prepared.then(reloadAll),
    onStop: (reason) => void prepared.then(() => shutdown.run(reason)),
  })
  const { log, output, secrets } = await openLog(config, worker && { worker: worker.number })
  for (const warning of keyWarnings(config.keys, process.argv)) log.warn(warning)
  const tracer = await openTracer(process.env, log)
  if (tracer) log.info('traces are on')
  const gateway = createGateway({
    ...options,
    config,
    host: { ...host, problems: () => [output.problem()], workers: worker },
    log,
    tracer,
  })
  collectProcessMetrics(gateway.metrics)
  const stop = async (options: Parameters<Gateway['stop']>[0] = {}) => {
    await gateway.stop(options)
    await tracer?.stop()
    await onStop?.()
  }
  /** Reads the configuration and the API keys again. */
  function reloadAll(): void {
    if (!readAgain) return
    const apply: Gateway['setUpstreams'] = (upstreams) => gateway.setUpstreams(upstreams)
    const read = () => {
      const next = readAgain()
      secrets.push(...secretsOf(next).filter((secret) => !secrets.includes(secret)))
      return next
    }
    void reload({ apply, log, read, running: config })
    gateway.reloadApiKeys()
  }
  const shutdown = onShutdown({
    limit: config.drain + EXIT_MS + (tracer ? FLUSH_MS : 0),
    onHangup: readAgain && (() => reloadAll()),
    startWatchdog,
    async stop(reason) {
      log.info({ reason }, 'stopping')
      // No load balancer is in front of a gateway that is stopped by Ctrl-C, and none has to notice that a worker is replaced.
      if (reason === REPLACED) await stop({ isReplaced: true })
      else await stop({ delay: reason === 'SIGINT' ? 0 : config.drainDelay })
    },
  })
  prepare()
  let address: { port: number; url: string }
  try {
    address = await gateway.start()
  } catch (error) {
    await stop()
    worker?.close()
    throw listenError(error as Error, config)
  }
  worker?.ready()
  const health = gateway.health()
  if (health.status === 'down') printNotice(waitingFor(health, config))
  gateway.ready.catch((error: unknown) => {
    printNotice((error as Error).message)
    process.exitCode = 1
    void stop().finally(() => process.exit(1))
  })
  return { ...address, gateway, log, shutdown: (reason) => shutdown.run(reason) }
}

/** Opens the log of the process. `secrets` are redacted; more may be added. @param fields - fields of every line */
export async function openLog(config: Config, fields?: object) {
  const output = await formatted(createLogOutput(stdout()), config.logFormat)
  const secrets = secretsOf(config)
  return { log: createLog(config.logLevel, output, secrets, fields), output, secrets }
}

/** The log output in the requested format. By default it is pretty on a terminal and JSON elsewhere. */
async function formatted(output: LogOutput, format: string | undefined): Promise<LogOutput> {
  const isTerminal = process.stdout.isTTY
  if ((format ?? (isTerminal ? 'pretty' : 'json')) === 'json') return output
  const { createPrettyOutput } = await import('./prettyLog.ts')
  return createPrettyOutput(output, isTerminal && !process.env['NO_COLOR'])
}

/** Milliseconds that the process may take to exit, in addition to the time for requests in flight. */
const EXIT_MS = 400

/** Milliseconds that the export of the last traces may take in addition. */
const FLUSH_MS = 1_000

export declare namespace serve {
  type Options = Omit<createGateway.Options, 'config' | 'log' | 'tracer'> & {
    config: Config
    /** Runs after the gateway has stopped. */
    onStop?: () => Promise<void>
    /** Reloads the configuration on SIGHUP. @throws ConfigError */
    readAgain?: (() => Config) | undefined
  }
  type Running = {
    gateway: Gateway
    log: Log
    port: number
    url: string
    shutdown(reason: string): Promise<void>
  }
}

/** Texts that must not appear in the log: keys and passwords in the addresses of nodes, of Redis and of the index, values of headers. */
export function secretsOf(config: Config): string[] {
  const nodes = upstreamsOf(config)
  return [
    ...secretsIn([
      config.redis,
      config.index,
      ...nodes.flatMap(({ rpc, solidity, wallet }) => [wallet, solidity, rpc]),
    ]),
    ...nodes.flatMap(({ headers }) => Object.values(headers)),
  ].filter(Boolean)
}

/** The notice while no node answers. It names all nodes, because a wrong address is the most common reason. */
export function waitingFor({ reasons }: Pick<Health, 'reasons'>, config: Config): string {
  const nodes = upstreamsOf(config)
  const isOne = nodes.length === 1 && !config.upstreams
  const reason = reasons[0]?.replace(/^waiting for the node: /, '') ?? 'no answer yet'
  const addresses = nodes.map(isOne ? byOption : byName).join(', ')
  return `waiting for ${addresses}: ${reason}; check the ${nodes.length === 1 ? 'address' : 'addresses'}`
}

function byOption({ solidity, wallet }: Upstream): string {
  const [full, solid] = [wallet, solidity].map(originOf)
  return full === solid
    ? `${full} (--upstream)`
    : `${full} (--upstream) and ${solid} (--upstream-solidity)`
}

function byName({ name, wallet }: Upstream): string {
  const origin = originOf(wallet)
  return new URL(wallet).host === name ? origin : `${name} at ${origin}`
}

function printNotice(line: string) {
  process.stderr.write(`ethgate: ${line}\n`)
}

/** An error of listening as one that says what to do; any other error as it is. */
export function listenError(cause: Error, config: Config): Error {
  const { address, code, hostname, port } = cause as ListenError
  const host = address ?? hostname
  const ofPort = port === config.port ? '--port' : '--admin-port'
  const ofHost = host === config.host ? '--host' : '--admin-host'
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new Error(`${host} is not an address of this machine: choose another with ${ofHost}`, {
      cause,
    })
  if (port === undefined) return cause
  if (code === 'EADDRINUSE')
    return new Error(`port ${port} of ${host} is already in use: choose another with ${ofPort}`, {
      cause,
    })
  if (code === 'EACCES')
    return new Error(
      `no permission to listen on port ${port}: choose one above 1023 with ${ofPort}`,
      { cause },
    )
  return cause
}

/** An error of `listen`. A name that cannot be resolved is in `hostname`. */
type ListenError = NodeJS.ErrnoException & { address?: string; hostname?: string; port?: number }
