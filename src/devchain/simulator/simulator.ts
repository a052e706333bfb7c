import type { Worker } from 'node:worker_threads'

import { errorCode } from '../../lib/errorCode.ts'
import { LimitExceededError, RpcError, UpstreamError } from '../../lib/errors.ts'
import { startThread } from '../../lib/startThread.ts'
import { type Call, createCalls } from '../../lib/threadCalls.ts'
import { within } from '../../lib/within.ts'
import type { Upstream } from '../../native/upstream.ts'
import type { Simulator } from '../../rpc/context.ts'
import type { Order, Outcome } from './simulationThread.ts'

/** Milliseconds of one simulation with its reads of the node. Geth allows five for the run alone. */
const TIME = 15_000

/** Milliseconds that the thread may take to load the EVM, in addition to the time of the first simulation. */
const START = 60_000

/** Milliseconds in which the thread must answer after a simulation timed out. Otherwise it computes without end. */
const PING_TIMEOUT = 2_000

const NOT_READY = 'simulations are not ready yet, try again later'

/** Memory of the thread, MB. A run whose memory grows has spent its energy at about 3 MB; traces are limited on their own. */
const MEMORY = 512

/** Simulations at once. They share one thread, and most wait for the node. */
const MOST = 64

/** Milliseconds of computing that cost as much as one call to a node. */
const MS_PER_UNIT = 25

/**
 * Simulates calls on the newest state of the nodes in a thread of its own, so that other calls do not wait for them. The thread starts
 * with the first simulation, and again when it ended.
 */
export function createSimulator({
  feeSignal,
  log,
  memory = MEMORY,
  node,
  pingTimeout = PING_TIMEOUT,
  time = TIME,
}: createSimulator.Options): Simulator & { stop(): Promise<void> } {
  let thread: Thread | undefined
  let running = 0

  function start(): Thread {
    const worker = startThread(import.meta.url, 'simulationThread', {
      resourceLimits: { maxOldGenerationSizeMb: memory },
    })
    const call = createCalls(worker)
    const started: Thread = { call, isStuck: false, ready: call('ping'), worker }
    // Each simulation that waits for it gets the error.
    started.ready.catch(() => {})
    worker.unref()
    worker.on('error', (err) => log.warn({ err }, 'the thread of simulations ended'))
    worker.on('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  /** Ends the thread if it does not answer. Its other simulations fail, and a retry starts the next thread. */
  async function endIfStuck(asked: Thread): Promise<void> {
    const late = new Error('the thread of simulations does not answer')
    await within(asked.call('ping'), pingTimeout, late).catch(() => {
      asked.isStuck = true
      if (thread === asked) thread = undefined
      return asked.worker.terminate()
    })
  }

  return {
    async simulate(method, { chainId, floor, meter, signal }) {
      const { headers, rpc, timeout, wallet } = node() ?? {}
      if (!headers || !wallet || rpc === undefined || timeout === undefined)
        throw new UpstreamError('no upstream node with a JSON-RPC (--upstream-rpc) is available')
      if (running >= MOST)
        throw new LimitExceededError('too many simulations run at once, try again later')
      running++
      const used = (thread ??= start())
      const stop = new AbortController()
      const slow = new UpstreamError(NOT_READY)
      let begun: number | undefined
      let units: number | undefined
      try {
        await within(used.ready, START, slow, signal)
        begun = performance.now()
        const order: Order = {
          ...method,
          chainId,
          feeSignal,
          floor,
          node: { headers, rpc, timeout, wallet },
        }
        const late = new RpcError(-32000, `execution timed out: more than ${time / 1_000} s`)
        const outcome = await within(
          used.call<Outcome>('simulate', order, stop.signal),
          time,
          late,
          signal,
        )
        units = outcome.calls + outcome.computed / MS_PER_UNIT
        if ('result' in outcome) return outcome.result
        const { code, data, message } = outcome.error
        throw new RpcError(code, message, { data })
      } catch (error) {
        if (error === slow) void endIfStuck(used)
        if (errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY')
          throw new LimitExceededError('the simulations need more memory than they may use', {
            cause: error,
          })
        if (used.isStuck) throw new UpstreamError(NOT_READY, { cause: error })
        throw error
      } finally {
        running--
        // A thread that still starts does not answer yet, and others wait for it.
        if (begun !== undefined) {
          if (units === undefined) {
            stop.abort()
            void endIfStuck(used)
          }
          if (meter) meter.cost += units ?? (performance.now() - begun) / MS_PER_UNIT
        }
      }
    },
    async stop() {
      await thread?.worker.terminate()
    },
  }
}

type Thread = {
  call: Call
  /** Whether it was ended because it did not answer. */
  isStuck: boolean
  ready: Promise<unknown>
  worker: Worker
}

export declare namespace createSimulator {
  type Options = {
    feeSignal: 'eip1559' | 'legacy'
    log: { warn(fields: object, message: string): void }
    /** Memory of the thread, MB. @default 512 */
    memory?: number
    /** The node to use now: the best one with a JSON-RPC. Undefined while there is none. */
    node: () => Pick<Upstream, 'headers' | 'rpc' | 'timeout' | 'wallet'> | undefined
    /** Milliseconds in which the thread must answer after a simulation timed out. @default 2_000 */
    pingTimeout?: number
    /** Milliseconds of one simulation. @default 15_000 */
    time?: number
  }
}
