/** Intervals and timeouts of probes and recovery, in milliseconds. */
export type Timing = {
  /** Between probes of a node that gets calls. */
  probe: number
  /** Between probes of a node that gets none. */
  troubledProbe: number
  /** The timeout of a probe. */
  probeTimeout: number
  /** Time after a failure, from a node's first good probe until it gets its full share of the calls. */
  ramp: number
  /** Minimum time for which a failed node gets no calls. Doubled each time that the node fails while it recovers. */
  rest: number
}

/** The values for nodes in a network with a block every three seconds. */
export const TIMING: Timing = {
  probe: 500,
  troubledProbe: 500,
  probeTimeout: 1_000,
  ramp: 4_000,
  rest: 400,
}
