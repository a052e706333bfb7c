import { beforeEach } from 'vitest'

/** The moment, in seconds since 1970, after which no test begins. `.ci/run` sets it, so that it ends in time on a slow machine too. */
const UNTIL = Number(process.env['TEST_UNTIL'] ?? Infinity)

const said = new Set<string>()

beforeEach(({ skip, task }) => {
  if (Date.now() / 1_000 < UNTIL) return
  const { name } = task.file
  // CI repeats these lines with its totals.
  if (!said.has(name))
    process.stdout.write(`left out: tests of ${name}, because the time is over\n`)
  said.add(name)
  skip('the time is over')
})
