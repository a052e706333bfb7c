/** One attack on a gateway, or one failure around it. */
export type Case = {
  /** Its name on the command line: `npm run drills -- hostile <name>`. */
  name: string
  /** A description for the table. */
  what: string
  /** Flags of `serve` that the case needs beyond the defaults. */
  flags?: readonly string[]
  /** Whether to start a redis-server for the gateway. @default false */
  redis?: boolean
  /** Whether the gateway simulates, on the state of a development chain. @default false */
  simulates?: boolean
  /** The most memory, in MiB, that the case may add to the gateway. @default any */
  growth?: number
  /** Environment variables of the gateway. */
  env?: Record<string, string>
  /** The log file of the gateway. @default none */
  log?: string
  /** Whether the gateway may exit during the case. @default false */
  ends?: boolean
  /** Runs the case. It ends within seconds. */
  run(target: Target): Promise<Outcome>
}

/** The gateway that a case attacks, with its node and Redis. */
export type Target = {
  /** `http://127.0.0.1:port`. */
  url: string
  /** `ws://127.0.0.1:port`. */
  wsUrl: string
  port: number
  /** The process of the gateway. */
  pid: number
  /** The node behind it. */
  node: DrillNode
  /** Address of its Redis, if the case needs one. */
  redisUrl: string | undefined
  /** Settles when the gateway has exited. */
  exited: Promise<unknown>
}

/** The fake node of the drills, in a separate process. */
export type DrillNode = {
  url: string
  /** Number of the newest block. */
  head: number
  /** The blocks of this range have `logsPerBlock` logs each; about 14 of them make an answer of 6 MB. */
  dense: { from: number; to: number; logsPerBlock: number }
  /** Holds all answers back, or releases them. */
  hang(on: boolean): Promise<void>
  /** Makes a block without logs. */
  mine(): Promise<void>
}

/** The result of a case. */
export type Outcome = {
  /** Attempts: requests, frames, connections, signals. */
  tried: number
  /** Attempts with a wrong outcome. 0 is a pass. */
  wrong: number
  /** An additional figure for the table. */
  note?: string
}
