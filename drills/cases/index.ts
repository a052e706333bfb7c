import type { Case } from '../case.ts'
import { pipelinedLogs } from './pipelinedLogs.ts'

/** Every hostile case, in the order of the table. A new case is a file here and a line below. */
export const cases: readonly Case[] = [pipelinedLogs]
