/** What the load is told: the newest block, to ask no more or again, to report. */
export type LoadCommand = { head?: number; pause?: boolean; report?: true }

/** What a load saw since its last report. Times in milliseconds. */
export type LoadReport = {
  asked: number
  /** Errors of any kind that a client would see. */
  failed: number
  /** Answers that are not the truth. */
  wrong: number
  /** Of these, block numbers below one that was shown before. */
  backward: number
  /** Requests that have no answer yet. */
  open: number
  p50: number
  p99: number
  max: number
  /** What went wrong, and how often. */
  samples: Record<string, number>
}
