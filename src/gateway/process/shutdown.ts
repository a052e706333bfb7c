import { Worker } from 'node:worker_threads'

/** The signals that end the process; SIGHUP too, which a closed terminal sends. */
type SignalName = 'SIGTERM' | 'SIGINT' | 'SIGHUP'

/**
 * Ends the process gracefully on SIGTERM, SIGINT and SIGHUP: runs `stop`, then `exit(0)`, or `exit(1)` when `stop` fails or
 * takes longer than `limit`. A second signal exits at once with 1. With `onHangup`, SIGHUP calls it instead.
 */
export function onShutdown({
  exit = (code) => process.exit(code),
  limit,
  onHangup,
  signals = process,
  startWatchdog = () => {},
  stop,
}: onShutdown.Options) {
  let running: Promise<void> | undefined
  /** Stops the gateway, then exits the process. A second call waits for the first. */
  function run(reason: string): Promise<void> {
    if (running) return running
    startWatchdog(limit + WATCHDOG_MS)
    const timer = setTimeout(() => exit(1), limit)
    running = stop(reason).then(
      () => exit(0),
      () => exit(1),
    )
    void running.finally(() => clearTimeout(timer))
    return running
  }
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    signals.on(name, () => {
      if (name === 'SIGHUP' && onHangup && !running) onHangup()
      else if (running) exit(1)
      else void run(name)
    })
  return { run }
}

export declare namespace onShutdown {
  type Options = {
    /** @default process.exit */
    exit?: (code: number) => void
    /** Milliseconds after which the process exits even if `stop` has not ended. */
    limit: number
    /** Runs on SIGHUP in place of stopping, for instance to read the configuration again. */
    onHangup?: (() => void) | undefined
    /** @default process */
    signals?: { on(name: SignalName, listener: () => void): unknown }
    /** Ends the process after this many milliseconds even if `exit` does not. @default does nothing */
    startWatchdog?: (ms: number) => void
    stop: (reason: string) => Promise<void>
  }
}

/**
 * Kills this process after this many milliseconds, from a separate thread: the event loop may be blocked, and an exit
 * waits for writes in flight, which never end on some broken disks and pipes.
 */
export function startWatchdog(ms: number): void {
  // On a busy machine a thread takes a while to start, which is part of the time.
  const end = process.hrtime.bigint() + BigInt(Math.ceil(ms)) * 1_000_000n
  const script = `
    const left = Number(${end}n - process.hrtime.bigint()) / 1e6
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), left)
  `
  new Worker(script, { eval: true }).on('error', () => {}).unref()
}

/** Milliseconds that the watchdog leaves for the exit. */
const WATCHDOG_MS = 200
