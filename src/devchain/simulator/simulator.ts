import { serialize } from 'node:v8'
import type { Worker } from 'node:worker_threads'

import { TooMuchHeldError } from '../../lib/bodyText.ts'
import { errorCode } from '../../lib/errorCode.ts'
import { LimitExceededError, RpcError, UpstreamError } from '../../lib/errors.ts'
import type { HeldBytes } from '../../lib/heldBytes.ts'
import { preparedOf } from '../../lib/prepared.ts'
import { startThread } from '../../lib/startThread.ts'
import type { StopSignal } from '../../lib/stopSignal.ts'
import { type Call, createCalls } from '../../lib/threadCalls.ts'
import { within } from '../../lib/within.ts'
import type { Upstream } from '../../native/upstream.ts'
import type { Simulator } from '../../rpc/execution/simulated.ts'
import { createPlaces } from './places.ts'
import { createFigures, type SharedFigures } from './shared.ts'
import type { Order, Outcome, ThreadData } from './simulationThread.ts'

/** Milliseconds of one simulation with its reads of the node and the turns of others. Geth allows five for the run alone. */
const TIME = 30_000

/** Milliseconds that the thread may take to load the EVM, in addition to the time of the first simulation. */
const START = 60_000

/** Milliseconds of one turn after which the thread is ended. No work that cannot be interrupted takes so long. */
const STUCK = 3_000

/** Memory of the thread, MB. A run whose memory grows has spent its energy at about 3 MB; traces are limited on their own. */
const MEMORY = 512

/** Attempts of a simulation that another one interrupts, because the thread ends. */
const ATTEMPTS = 3

/** Milliseconds of computing that cost as much as one call to a node. */
const MS_PER_UNIT = 25

/** Bytes of a result that is read here. A larger one is sent as it is. */
const READ = 64 * 1024

const NOT_READY = 'simulations are not ready yet, try again later'

/**
 * Simulates calls on the newest state of the nodes in a thread of its own, so that other calls do not wait for them. The thread starts
 * with the first simulation, and again when it ended. A simulation that needs too much memory, or does not let others have
 * their turn, ends alone: the others are made again.
 */
export function createSimulator({
  computing,
  feeSignal,
  held,
  log,
  memory = MEMORY,
  node,
  responseLimit,
  stuck = STUCK,
  time = TIME,
}: createSimulator.Options): Simulator & { stop(): Promise<void> } {
  const places = createPlaces()
  /** Simulations so far. */
  let simulations = 0
  let thread: Thread | undefined
  let watching: NodeJS.Timeout | undefined

  function start(): Thread {
    const figures = createFigures()
    const worker = startThread(import.meta.url, 'simulationThread', {
      resourceLimits: { maxOldGenerationSizeMb: memory },
      workerData: { computing, figures: figures.buffer } satisfies ThreadData,
    })
    const call = createCalls(worker)
    const started: Thread = { call, fault: undefined, figures, ready: call('ping'), worker }
    // Each simulation that waits for it gets the error.
    started.ready.catch(() => {})
    worker.unref()
    worker.on('error', (err) => {
      // Before the calls of the thread fail.
      started.fault ??= { computing: figures.computing(), error: failureOf(err) }
      log.warn({ err }, 'the thread of simulations ended')
    })
    worker.on('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }

  function end(ended: Thread, error: RpcError): void {
    ended.fault ??= { computing: ended.figures.computing(), error }
    if (thread === ended) thread = undefined
    void ended.worker.terminate()
  }

  /** Ends the thread when one turn takes too long. */
  function watch(): void {
    let seen = { since: performance.now(), thread, turns: -1 }
    watching ??= setInterval(() => {
      if (places.isEmpty()) {
        clearInterval(watching)
        watching = undefined
        return
      }
      const turns = thread?.figures.turns() ?? 0
      if (seen.thread !== thread || seen.turns !== turns || !thread?.figures.computing())
        seen = { since: performance.now(), thread, turns }
      else if (performance.now() - seen.since > stuck) {
        log.warn({}, 'a simulation did not let others have their turn; its thread was ended')
        end(thread, new RpcError(-32000, 'execution timed out'))
      }
    }, stuck / 4).unref()
  }

  /** Runs a simulation in the thread. @throws ThreadEndedError when the thread ended because of another one */
  async function run(order: Order, signal: StopSignal, used: Thread): Promise<Uint8Array> {
    const stop = new AbortController()
    const late = () => new RpcError(-32000, `execution timed out: more than ${time / 1_000} s`)
    try {
      const called = used.call<Outcome>('simulate', order, stop.signal)
      const outcome = await within(called, time, late, signal)
      if ('result' in outcome) return outcome.result
      const { code, data, message } = outcome.error
      throw new RpcError(code, message, { data })
    } catch (error) {
      stop.abort()
      if (!used.fault || error instanceof RpcError || signal.aborted) throw error
      throw used.fault.computing === order.number
        ? used.fault.error
        : new ThreadEndedError(used.fault.error)
    }
  }

  /** Runs a simulation, again when another one ended the thread. Adds what it used to the bill. */
  async function runAgain(order: Order, signal: StopSignal, charge: (units: number) => void) {
    const slow = new UpstreamError(NOT_READY)
    for (let attempt = 1; ; attempt++) {
      const used = (thread ??= start())
      used.figures.setCalls(order.place, 0)
      used.figures.setComputed(order.place, 0)
      let isCharged = true
      try {
        await within(used.ready, START, () => slow, signal)
        return await run(order, signal, used)
      } catch (error) {
        if (error === slow) end(used, slow)
        isCharged = !(error instanceof ThreadEndedError)
        if (!(error instanceof ThreadEndedError)) throw error
        if (attempt === ATTEMPTS) throw error.reason
      } finally {
        const { calls, computed } = used.figures.of(order.place)
        if (isCharged) charge(calls + computed / MS_PER_UNIT)
        if (used.fault?.computing === order.number) charge(stuck / MS_PER_UNIT)
      }
    }
  }

  return {
    async simulate(simulated, { call, chainId, floor }) {
      const { headers, rpc, timeout, wallet } = node() ?? {}
      if (!headers || !wallet || rpc === undefined || timeout === undefined)
        throw new UpstreamError('no upstream node with a JSON-RPC (--upstream-rpc) is available')
      const { id: owner = '', limits: { weight = 1 } = {} } = call.caller ?? {}
      const { meter, signal } = call
      const hold = held.hold(owner, 'simulations')
      try {
        take(hold.take(serialize([simulated.subject, simulated.asked]).length))
        const place = await places.take({ owner, signal, weight })
        try {
          watch()
          const order: Order = {
            ...simulated,
            chainId,
            feeSignal,
            floor,
            limit: responseLimit,
            node: { headers, rpc, timeout, wallet },
            number: ++simulations,
            owner,
            place,
            weight,
          }
          const result = await runAgain(order, signal, (units) => {
            if (meter) meter.cost += units
          })
          take(hold.take(result.length))
          const bytes = Buffer.from(result.buffer, result.byteOffset, result.byteLength)
          return bytes.length > READ ? preparedOf(bytes) : JSON.parse(bytes.toString())
        } finally {
          places.give(place, owner)
        }
      } finally {
        hold.end()
      }
    },
    async stop() {
      clearInterval(watching)
      await thread?.worker.terminate()
    },
  }
}

type Thread = {
  call: Call
  /** Why it ended, and the simulation that computed then; 0 for none. */
  fault: { computing: number; error: RpcError } | undefined
  figures: SharedFigures
  ready: Promise<unknown>
  worker: Worker
}

/** The thread ended because of another simulation. */
class ThreadEndedError extends Error {
  override name = 'ThreadEndedError'
  readonly reason: RpcError

  constructor(reason: RpcError) {
    super(reason.message, { cause: reason })
    this.reason = reason
  }
}

function failureOf(error: Error): RpcError {
  return errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new LimitExceededError('the simulations need more memory than they may use', { cause: error })
    : new UpstreamError(NOT_READY, { cause: error })
}

function take(isTaken: boolean): void {
  if (!isTaken) throw new TooMuchHeldError()
}

export declare namespace createSimulator {
  type Options = {
    /** Milliseconds that one simulation may compute. @default 5,000 */
    computing?: number
    feeSignal: 'eip1559' | 'legacy'
    /** The bytes that are held for clients. */
    held: HeldBytes
    log: { warn(fields: object, message: string): void }
    /** Memory of the thread, MB. @default 512 */
    memory?: number
    /** The node to use now: the best one with a JSON-RPC. Undefined while there is none. */
    node: () => Pick<Upstream, 'headers' | 'rpc' | 'timeout' | 'wallet'> | undefined
    /** Most bytes of a result. */
    responseLimit: number
    /** Milliseconds of one turn after which the thread is ended. @default 3,000 */
    stuck?: number
    /** Milliseconds of one simulation. @default 30,000 */
    time?: number
  }
}
