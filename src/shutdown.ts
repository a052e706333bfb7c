/** Runs what must happen before the process ends, once, and reports how it went. */
export type Shutdown = {
  /** Starts it; a second call waits for the first. */
  run(reason: string): Promise<void>
}

/**
 * Ends the process gracefully on SIGTERM and SIGINT: `stop` runs, then `exit(0)`; `exit(1)` when it fails. A second
 * signal exits at once with 1.
 */
export function onShutdown({
  exit = (code) => process.exit(code),
  signals = process,
  stop,
}: onShutdown.Options): Shutdown {
  let running: Promise<void> | undefined
  const run = (reason: string) =>
    (running ??= stop(reason).then(
      () => exit(0),
      () => exit(1),
    ))
  for (const name of ['SIGTERM', 'SIGINT'] as const)
    signals.on(name, () => {
      if (running) exit(1)
      else void run(name)
    })
  return { run }
}

export declare namespace onShutdown {
  type Options = {
    /** @default process.exit */
    exit?: (code: number) => void
    /** @default process */
    signals?: { on(name: 'SIGTERM' | 'SIGINT', listener: () => void): unknown }
    stop: (reason: string) => Promise<void>
  }
}
