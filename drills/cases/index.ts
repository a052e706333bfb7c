import type { Case } from '../case.ts'
import { catchingUp } from './catchingUp.ts'
import { compressedBodies } from './compressedBodies.ts'
import { feeHistory } from './feeHistory.ts'
import { foreignPages } from './foreignPages.ts'
import { idle } from './idle.ts'
import { largeFilters, largeFiltersInRedis } from './largeFilters.ts'
import { largeLogsCase } from './largeLogs.ts'
import { largeSubscriptions } from './largeSubscriptions.ts'
import { oversizedInput } from './oversizedInput.ts'
import { pipelinedLogs } from './pipelinedLogs.ts'
import { simulations } from './simulations.ts'
import { blockedRedis, busyLoop, fullDisk, hangingNode } from './stopping.ts'
import { strangers } from './strangers.ts'
import { subscriptions } from './subscriptions.ts'
import { unfinishedMessages } from './unfinishedMessages.ts'
import { unreadAnswers } from './unreadAnswers.ts'

/** Every hostile case, in the order of the table. A new case is a file here and a line below. */
export const cases: readonly Case[] = [
  idle,
  foreignPages,
  oversizedInput,
  pipelinedLogs,
  unreadAnswers,
  largeLogsCase,
  feeHistory,
  subscriptions,
  catchingUp,
  largeFilters,
  largeFiltersInRedis,
  largeSubscriptions,
  fullDisk,
  hangingNode,
  blockedRedis,
  busyLoop,
  ...strangers,
  compressedBodies,
  unfinishedMessages,
  ...simulations,
]
