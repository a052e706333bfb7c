import { upstreamsOf } from '../../config/upstreamList.ts'
import { RpcError } from '../../lib/errors.ts'
import { sleep } from '../../lib/sleep.ts'
import {
  createCapabilities,
  MissingCapabilityError,
  requireConstantCalls,
  requireSolidity,
} from '../../native/capabilities.ts'
import { createServices, DataDirError, type Services } from './services.ts'

/** Milliseconds between attempts. */
const RETRY_DELAY = 1_000

/**
 * Starts the services: reads the genesis block of the node, and retries without a time limit until it answers. Only a node
 * that answers but cannot be used is an error.
 */
export function createBoot(options: createBoot.Options) {
  const { log } = options.telemetry
  const { native } = options.node
  const capabilities = createCapabilities({ native })
  const first = createDeferred<void>()
  const ready = createDeferred<Services>()
  const stopped = new AbortController()
  let reason: string | undefined
  /** The services as soon as they are built. */
  let current: Services | undefined

  async function attempt(): Promise<Services> {
    const identity = await capabilities.identity({ signal: stopped.signal })
    await requireConstantCalls(native)
    await requireSolidity(native, upstreamsOf(options.config)[0]?.wallet)
    stopped.signal.throwIfAborted()
    return createServices({ ...options, identity })
  }

  async function run() {
    while (!stopped.signal.aborted)
      try {
        const services = await attempt()
        current = services
        // `stop` was called during the attempt, before there were services to stop.
        if (stopped.signal.aborted) return await endServices()
        await services.start()
        if (stopped.signal.aborted) return
        if (reason !== undefined) log.info('the node answers')
        reason = undefined
        log.info({ chainId: services.chainId, head: services.head.status().number }, 'ready')
        ready.resolve(services)
        first.resolve()
        return
      } catch (error) {
        if (stopped.signal.aborted) return
        await endServices()
        if (error instanceof MissingCapabilityError || error instanceof DataDirError) throw error
        const { message } = error as Error
        if (message !== reason) log.warn(fieldsOf(error), 'waiting for the node')
        reason = message
        first.resolve()
        await sleep(RETRY_DELAY, stopped.signal).catch(() => {})
      }
  }

  async function endServices() {
    const ended = current
    current = undefined
    await ended?.stop()
  }

  return {
    /** Starts the first attempt. */
    start() {
      run().catch((error: unknown) => {
        first.reject(error)
        ready.reject(error)
      })
    },
    /** Resolves after the first attempt, even if the node did not answer. @throws MissingCapabilityError, DataDirError */
    firstAttempt: first.promise,
    /** Pending while the node does not answer. @throws MissingCapabilityError, DataDirError */
    ready: ready.promise,
    /** Why the gateway still waits for the node; undefined before the first attempt and once the node has answered. */
    waiting: () => reason,
    /** Stops the attempts and the services, even while they start. */
    async stop() {
      stopped.abort()
      await endServices()
    },
  }
}

export declare namespace createBoot {
  type Options = Omit<createServices.Options, 'identity'>
}

/** The fields of a log line. An error of the node says all in its message; any other needs its stack. */
function fieldsOf(error: unknown): object {
  return error instanceof RpcError ? { reason: error.message } : { err: error }
}

function createDeferred<value>() {
  let resolve!: (value: value) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<value>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  // Avoids an unhandled rejection if no caller waits for this promise.
  promise.catch(() => {})
  return { promise, reject, resolve }
}
