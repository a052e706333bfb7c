import { SingleBar } from 'cli-progress'

import { grouped, plural } from '../../codec/coin.ts'
import type { Terminal } from '../base/terminal.ts'

/** The progress of a long command. */
export type Progress = {
  /** First block that is not done, and what was counted so far. */
  update(next: number, count: number): void
  /** Shows a temporary problem. */
  note(text: string): void
  stop(): void
}

/** A bar on stderr when that is a terminal; otherwise only notes. */
export function createProgress(terminal: Terminal, options: createProgress.Options): Progress {
  const { at, from, quiet, to, unit } = options
  if (quiet || !terminal.interactive || at > to)
    return {
      update() {},
      note: (text) => (quiet ? undefined : terminal.error(`ethgate: ${text}`)),
      stop() {},
    }
  const bar = new SingleBar({
    format:
      '{bar} {percentage}% | block {block} of {last} | {counted} | {rate}/s | {eta_formatted} left {note}',
    barsize: 24,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    // The command handles signals.
    gracefulExit: false,
    etaBuffer: 50,
  })
  // The bar hides the cursor and turns line wrap off: a process that exits early must turn both on again.
  const restore = () => process.stderr.write('\u001B[?25h\u001B[?7h')
  process.once('exit', restore)
  const start = Date.now()
  const payload = {
    block: grouped(at),
    last: grouped(to),
    counted: plural(0, unit),
    rate: '0',
    note: '',
  }
  bar.start(to - from + 1, at - from, payload)
  return {
    update(next, count) {
      const seconds = (Date.now() - start) / 1000
      bar.update(next - from, {
        block: grouped(Math.min(next, to)),
        counted: plural(count, unit),
        rate: grouped(Math.round(count / Math.max(seconds, 0.001))),
        note: '',
      })
    },
    note: (text) => bar.update({ note: text }),
    stop() {
      bar.stop()
      process.off('exit', restore)
    },
  }
}

export declare namespace createProgress {
  type Options = {
    quiet: boolean
    from: number
    to: number
    at: number
    /** What is counted: one of them. */
    unit: string
  }
}
