/** A message to the load: the newest block, pause, continue, or report. */
export type LoadCommand = { head?: number; pause?: boolean; report?: true }

/** The results of the load since its last report. Times are in milliseconds. */
export type LoadReport = {
  asked: number
  /** Errors of any kind that a client would see. */
  failed: number
  /** Wrong answers. */
  wrong: number
  /** Wrong answers that are block numbers below an earlier one. */
  backward: number
  /** Requests without an answer yet. */
  open: number
  p50: number
  p99: number
  max: number
  /** Each kind of failure with its number. */
  samples: Record<string, number>
}
