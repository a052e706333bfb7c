import Table from 'cli-table3'

import type { LimitsCase } from './limits/check.ts'
import { fairness } from './limits/fairness.ts'
import { flood } from './limits/flood.ts'
import { origins } from './limits/origins.ts'
import { lostRedis } from './limits/redis.ts'
import { reload } from './limits/reload.ts'
import { replicas } from './limits/replicas.ts'
import { sockets } from './limits/sockets.ts'
import { statuses } from './limits/statuses.ts'
import { print } from './print.ts'
import { endAll } from './processes.ts'

/** The cases in the order of the table. */
const cases: readonly LimitsCase[] = [
  fairness,
  flood,
  replicas,
  lostRedis,
  reload,
  sockets,
  statuses,
  origins,
]

/** Runs the cases of limits and API keys and prints a table. @returns whether every bound was met */
export async function limits(names: string[]): Promise<boolean> {
  const table = new Table({ head: ['case', 'measured', 'value', 'bound', ''] })
  let isGood = true
  for (const one of names.length === 0 ? cases : names.map(caseOf)) {
    process.stderr.write(`${one.name}: ${one.what} …\n`)
    for (const check of await one.run()) {
      if (!check.isGood) isGood = false
      const row = [check.what, check.measured, check.bound, check.isGood ? '' : 'missed']
      // Printed at once, so that the result is not lost if a later case is interrupted.
      process.stderr.write(`  ${row.join(' | ')}\n`)
      table.push([one.name, ...row])
    }
    endAll()
  }
  print(table)
  return isGood
}

function caseOf(name: string): LimitsCase {
  const found = cases.find((one) => one.name === name)
  if (found) return found
  throw new Error(`no case ${name}; there are ${cases.map((one) => one.name).join(', ')}`)
}
