/** One thing that a hostile or unlucky world does to a gateway. */
export type Case = {
  /** As it is named on the command line: `npm run drills -- hostile <name>`. */
  name: string
  /** One line for the table: what happens. */
  what: string
  /** Flags of `serve` that the case needs beyond the defaults. */
  flags?: readonly string[]
  /** Whether the gateway gets a redis-server of its own. @default false */
  redis?: boolean
  /** Environment variables of the gateway. */
  env?: Record<string, string>
  /** Where the gateway writes its log. @default nowhere */
  log?: string
  /** Whether the gateway may have ended when the case is over. @default false */
  ends?: boolean
  /** Does it. Bounded in time by itself: some seconds. */
  run(target: Target): Promise<Outcome>
}

/** What a case attacks. */
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
  /** Address of its Redis, when the case asked for one. */
  redisUrl: string | undefined
  /** Settles when the gateway has ended. */
  exited: Promise<unknown>
}

/** The fake node of the drills, in a process of its own. */
export type DrillNode = {
  url: string
  /** Number of the newest block. */
  head: number
  /** The blocks of this range have `logsPerBlock` logs each; about 14 of them make an answer of 6 MB. */
  dense: { from: number; to: number; logsPerBlock: number }
  /** Makes every call wait, or ends the wait. */
  hang(on: boolean): Promise<void>
  /** Makes a block without logs. */
  mine(): Promise<void>
}

/** What came of a case. */
export type Outcome = {
  /** Attempts: requests, frames, connections, signals. */
  tried: number
  /** Attempts whose outcome is not what it must be. 0 is a pass. */
  wrong: number
  /** More for the table: a figure that matters here. */
  note?: string
}
