import { randomBytes } from 'node:crypto'

import { createRedisLink, type RedisLink } from '../../src/lib/redis.ts'

/** A Redis whose records of sent transactions a test can undo, the last ones first. Only scripts write them. */
export type LosingRedis = Pick<RedisLink, 'assertCopied' | 'key' | 'run' | 'script'> & {
  /** Starts another run of the server, without the last writes. Those before `hold` was called are never lost. */
  lose(count: number): Promise<void>
  hold(): void
  /** The present run. */
  runId(): string
  close(): Promise<void>
}

/** The answers of a script that has written nothing. */
const IDLE = new Set(['changed', 'high', 'known', 'later', 'low', 'moved', 'taken'])

/** Connects to a Redis under a prefix of its own. */
export async function connectLosing(url: string): Promise<LosingRedis> {
  const prefix = `losing-${randomBytes(6).toString('hex')}`
  const link = createRedisLink({ prefix, url })
  await new Promise<void>((resolve) => {
    link.onStatus((status) => status === 'up' && resolve())
  })
  const info = link.key('info')
  let runs = 0
  let held = 0
  let history: { again: () => Promise<unknown>; isLook: boolean; run: number }[] = []

  const setRun = (run: number) =>
    link.run((client) => client.set(info, `run_id:run${run}\r\nuptime_in_seconds:1000\r\n`))
  await setRun(runs)

  return {
    assertCopied: async () => {},
    key: link.key,
    run: link.run,
    script(lua) {
      // The run of a real server cannot be set.
      const call = link.script(lua.replace("pcall('INFO', 'server')", `call('GET', '${info}')`))
      return async (keys, args) => {
        const run = runs
        const answer = await call(keys, args)
        const outcome = Array.isArray(answer) ? (answer[0] as unknown) : answer
        const isLook = lua.includes('uptime')
        const isWrite = keys.length > 2 || lua.includes('ZREMRANGEBYRANK')
        if (isLook || (isWrite && !IDLE.has(outcome as string)))
          history.push({ again: () => call(keys, args), isLook, run })
        return answer
      }
    },
    async lose(count) {
      let left = count
      history = history
        .toReversed()
        .filter(({ isLook }, index) => isLook || history.length - index <= held || left-- <= 0)
        .toReversed()
      const keys = await link.client.keys(link.key('sent:*').replace(/[[\]]/g, '\\$&'))
      if (keys.length > 0) await link.client.del(keys)
      await Promise.all(history.flatMap(({ again, run }) => [setRun(run), again()]))
      runs += 1
      await setRun(runs)
    },
    hold() {
      held = history.length
    },
    runId: () => `run${runs}`,
    close: () => link.close(),
  }
}
