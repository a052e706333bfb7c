import { setImmediate } from 'node:timers/promises'

/**
 * The calls of a model, which stop before and after they run. Chance says which one continues.
 *
 * @param nextPick - a number that chooses among the calls that have stopped
 */
export function createSteps(nextPick: () => number) {
  const gates: (() => void)[] = []
  let running = 0

  /** Resolves when no call can continue by itself. */
  async function quiet(): Promise<void> {
    await setImmediate()
    if (running > 0) await quiet()
  }

  return {
    quiet,
    /** A call that begins and ends when chance says so; never, when its process has ended. */
    async slowly<value>(process: { isDead: boolean }, call: () => Promise<value>): Promise<value> {
      const gate = () =>
        new Promise<void>((resolve) => gates.push(() => (process.isDead ? undefined : resolve())))
      await gate()
      running += 1
      const result = await call().finally(() => (running -= 1))
      await gate()
      return result
    },
    /** Lets one call continue. @returns whether there was one */
    async step(): Promise<boolean> {
      const [resolve] = gates.splice(nextPick() % Math.max(1, gates.length), 1)
      resolve?.()
      await quiet()
      return resolve !== undefined
    },
  }
}

/** Values in turn, again and again. */
export function inTurn<value>(values: readonly value[]): () => value {
  let at = 0
  return () => values[at++ % values.length] as value
}
