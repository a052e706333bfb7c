import type { Case } from '../case.ts'
import { catchingUp } from './catchingUp.ts'
import { largeFilters, largeFiltersInRedis } from './largeFilters.ts'
import { pipelinedLogs } from './pipelinedLogs.ts'
import { subscriptions } from './subscriptions.ts'

/** Every hostile case, in the order of the table. A new case is a file here and a line below. */
export const cases: readonly Case[] = [
  pipelinedLogs,
  subscriptions,
  catchingUp,
  largeFilters,
  largeFiltersInRedis,
]
