import { IN_PROCESS } from '../../limits/caller.ts'
import type { CallLimits } from '../../limits/limits.ts'
import { type AnyMethod, defineMethod } from '../method.ts'

/** `ethgate_limits`: which limits the caller is under, and what is left of them. */
export function createLimitsMethod(limits: Pick<CallLimits, 'state'>): AnyMethod {
  return defineMethod({
    params: [],
    result: {
      type: 'object',
      required: ['caller', 'scope', 'limits', 'remaining', 'limit', 'refilledInMs', 'inFlight'],
    },
    summary: 'the limits of the caller, what is left of them, and when they are whole again',
    handler: (_, __, { caller = IN_PROCESS }) => limits.state(caller),
  })
}
