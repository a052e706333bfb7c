import cluster, { type Worker } from 'node:cluster'

import { AggregatorRegistry } from 'prom-client'

import type { WorkerState } from '../../http/health.ts'
import { sleep } from '../../lib/sleep.ts'
import type { Log } from '../log.ts'
import type { WorkerMetrics } from '../metrics.ts'
import { sharesOf } from './shares.ts'
import {
  BEAT,
  REPLACED,
  type ToPrimary,
  type ToWorker,
  WORKER_NUMBER,
  WORKER_SHARE,
} from './workerMessages.ts'

/** Milliseconds without a beat after which a worker is replaced. Its event loop is blocked. */
const SILENT = 10_000

/** Milliseconds without a beat for a worker that starts, and that a successor may take to listen. */
const START = 60_000

/** Milliseconds before a worker that ended is started again: the first time, and at most. */
const BACK_OFF = 100
const MOST_BACK_OFF = 10_000

/** Milliseconds after which a worker counts as stable, so that its next end is its first. */
const STABLE = 60_000

/** Milliseconds that the workers may take to give their metrics. */
const COLLECT = 1_000

/** A place for a worker. Its process changes when it is replaced. */
type Place = {
  running: Running
  restarts: number
  failures: number
  /** The part of the rates of nodes in the last message to the worker. */
  share: number
}

type Running = {
  worker: Worker
  /** Of its place. */
  number: number
  state: WorkerState['state']
  started: number
  heard: number
  /** Messages that wait until the worker has sent its first one. A worker that does not listen yet would lose them. */
  waiting: ToWorker[] | undefined
  /** What the last beat said, see `ToPrimary`. */
  share: number
  used: number
}

/**
 * Runs workers on one port, each a whole replica, and replaces those that end or are blocked. All accept connections
 * from one socket. Resolves with the exit code when all workers have ended.
 *
 * - SIGTERM, SIGINT: all workers finish their requests and end. A second signal ends them at once.
 * - SIGHUP: all workers read the configuration file again. Without one it ends them, as a closed terminal does.
 * - SIGUSR2: one worker after the other is replaced by a new process, which runs the program as it is now installed.
 */
export async function runWorkers({
  canReload,
  count,
  limit,
  log,
}: runWorkers.Options): Promise<number> {
  // All workers accept from one socket. Node's other policy accepts in the primary process and hands connections over: those on
  // the way to a worker that is killed are never answered. Measured, both spread 40 connections over 4 workers equally well.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  const places: Place[] = []
  /** A worker that starts, to take the place of another one. */
  let successor: Running | undefined
  const collecting = new Map<number, (metrics: WorkerMetrics) => void>()
  let requests = 0
  const state = { isStopping: false }
  let exitCode = 0
  let hasListened = false
  let end: (code: number) => void = () => {}
  const ended = new Promise<number>((resolve) => (end = resolve))

  function send({ waiting, worker }: Running, message: ToWorker): void {
    if (waiting) waiting.push(message)
    // The channel closes when the worker ends.
    else if (worker.isConnected()) worker.send(message, () => {})
  }
  /** Sends the messages that have waited for the first one of the worker. */
  function sendWaiting(running: Running): void {
    const messages = running.waiting ?? []
    running.waiting = undefined
    for (const message of messages) send(running, message)
  }
  const everyone = () => places.map(({ running }) => running)
  const withSuccessor = () => [...everyone(), ...(successor ? [successor] : [])]

  function publish(): void {
    const workers = places.map(({ restarts, running: { number, state, worker } }) => ({
      number,
      pid: worker.process.pid ?? 0,
      state,
      restarts,
    }))
    for (const running of everyone()) send(running, { kind: 'workers', workers })
  }

  /** Starts a process for a place. Resolves with whether it listens. */
  function start({ number, share }: Pick<Running, 'number' | 'share'>): {
    running: Running
    listens: Promise<boolean>
  } {
    const worker = cluster.fork({ [WORKER_NUMBER]: String(number), [WORKER_SHARE]: String(share) })
    const now = performance.now()
    const running: Running = {
      worker,
      number,
      state: 'starting',
      started: now,
      heard: now,
      waiting: [],
      share,
      used: 0,
    }
    let settle: (listens: boolean) => void = () => {}
    const listens = new Promise<boolean>((resolve) => (settle = resolve))
    worker.on('message', (message: ToPrimary) => {
      running.heard = performance.now()
      sendWaiting(running)
      if (message.kind === 'ready') {
        running.state = 'running'
        hasListened = true
        settle(true)
        publish()
      } else if (message.kind === 'beat')
        Object.assign(running, { share: message.share, used: message.used })
      else if (message.kind === 'collected') collecting.get(message.id)?.(message.metrics)
      else if (message.kind === 'metrics')
        void metrics().then((text) => send(running, { kind: 'metrics', id: message.id, text }))
    })
    const leave = (code: number | null, signal: string | null) => {
      settle(false)
      onExit(running, code, signal)
    }
    worker.on('error', (error) => {
      log.warn({ err: error, worker: number }, 'worker failed')
      // The system created no process, for lack of memory or because the program is being replaced, so none will exit.
      if (!worker.process.pid && running.state !== 'ended') leave(null, null)
    })
    worker.on('exit', leave)
    return { running, listens }
  }

  /** Starts the next process of a place. */
  const startIn = ({ running, share }: Place) => start({ number: running.number, share })

  function onExit(running: Running, code: number | null, signal: string | null): void {
    const place = places.find((one) => one.running === running)
    running.state = 'ended'
    if (state.isStopping) {
      if (code !== 0) exitCode = 1
      if (withSuccessor().every(({ state }) => state === 'ended')) end(exitCode)
      return
    }
    // A worker that was replaced has no place any more. What ended the first one would end all others.
    if (!place || !hasListened) return
    log.error({ worker: running.number, code, signal }, 'worker ended, starting it again')
    place.restarts++
    place.failures = performance.now() - running.started > STABLE ? 1 : place.failures + 1
    publish()
    const pause = Math.min(BACK_OFF * 2 ** (place.failures - 1), MOST_BACK_OFF)
    setTimeout(() => {
      if (!state.isStopping && place.running === running) place.running = startIn(place).running
    }, pause)
  }

  async function metrics(): Promise<string> {
    const id = ++requests
    const all: WorkerMetrics[] = []
    const running = everyone().filter(({ state }) => state === 'running')
    await new Promise<void>((resolve) => {
      collecting.set(id, (one) => {
        if (all.push(one) === running.length) resolve()
      })
      for (const one of running) send(one, { kind: 'collect', id })
      setTimeout(resolve, COLLECT)
    })
    collecting.delete(id)
    return AggregatorRegistry.aggregate(all).metrics()
  }

  /** Divides the rates of nodes by what the workers use. A share grows only by what others have given back. */
  function divide(): void {
    const wanted = sharesOf(everyone())
    const held = places.reduce((sum, { running, share }) => sum + Math.max(share, running.share), 0)
    let free = Math.max(0, 1 - held)
    for (const [index, place] of places.entries()) {
      const rise = Math.min((wanted[index] as number) - place.share, free)
      free -= Math.max(0, rise)
      place.share += rise
      send(place.running, { kind: 'share', share: place.share })
    }
  }

  let checked = performance.now()
  const checking = setInterval(() => {
    const now = performance.now()
    // The beats of all workers wait while this process itself does not run.
    if (now - checked > 3 * BEAT) for (const running of withSuccessor()) running.heard = now
    checked = now
    if (places.length === count) divide()
    for (const running of withSuccessor()) {
      // The others go on without a successor, so it must listen in time, and not only respond.
      const silence = now - (running === successor ? running.started : running.heard)
      if (running.state === 'ended' || silence < (running.state === 'running' ? SILENT : START))
        continue
      log.error({ worker: running.number }, 'worker does not respond, ending it')
      running.worker.process.kill('SIGKILL')
    }
  }, BEAT)

  function stop(reason: string): void {
    if (state.isStopping) {
      for (const { worker } of withSuccessor()) worker.process.kill('SIGKILL')
      return
    }
    state.isStopping = true
    log.info({ reason }, 'stopping all workers')
    for (const running of withSuccessor()) send(running, { kind: 'stop', reason })
    if (withSuccessor().every(({ state }) => state === 'ended')) end(exitCode)
    setTimeout(() => stop(reason), limit).unref()
  }

  /**
   * Signals since the last replacement ended. One that came during a replacement causes another, because the program may have changed
   * meanwhile.
   */
  let signals = 0
  async function replace(): Promise<void> {
    if (++signals > 1) return
    for (let done = 0; done < signals && !state.isStopping;) {
      done = signals
      await replaceAll()
    }
    signals = 0
  }

  /** Replaces one worker after the other. A worker ends when its successor listens. */
  async function replaceAll(): Promise<void> {
    for (const place of places) {
      const { listens, running } = startIn(place)
      successor = running
      const isReady = await listens
      if (state.isStopping) return
      successor = undefined
      if (!isReady) {
        log.error({ worker: running.number }, 'the new worker ended, so the old ones go on')
        break
      }
      const old = place.running
      place.running = running
      place.failures = 0
      send(old, { kind: 'stop', reason: REPLACED })
      publish()
      // A worker whose event loop is blocked does not get the message.
      const kill = setTimeout(() => old.worker.process.kill('SIGKILL'), limit)
      while (!old.worker.isDead() && !state.isStopping) await sleep(BEAT / 10)
      clearTimeout(kill)
      log.info({ worker: running.number }, 'worker replaced')
    }
  }

  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stop(name))
  process.on('SIGHUP', () => {
    if (!canReload) return stop('SIGHUP')
    // A successor may have read the configuration before it changed.
    for (const running of withSuccessor()) send(running, { kind: 'reload' })
  })
  process.on('SIGUSR2', () => void replace())

  for (let number = 1; number <= count && !state.isStopping; number++) {
    const share = 1 / count
    const { listens, running } = start({ number, share })
    places.push({ running, restarts: 0, failures: 0, share })
    if (number === 1) await listens
    if (hasListened) continue
    // A port in use, for example, ends the first worker, and would end every other one.
    end(running.worker.process.exitCode ?? 1)
    break
  }
  await ended
  clearInterval(checking)
  return ended
}

export declare namespace runWorkers {
  type Options = {
    /** Whether there is a configuration file to read again. */
    canReload: boolean
    count: number
    /** Milliseconds after which workers that are stopping are killed. */
    limit: number
    log: Pick<Log, 'error' | 'info' | 'warn'>
  }
}
