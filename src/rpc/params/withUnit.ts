import type { Unit } from '../../codec/unit.ts'
import { type Param, PLAIN } from './params.ts'

/** A parameter, and the unit of the endpoint (sun or wei). */
export function withUnit<value>(param: Param<value>): Param<{ value: value; unit: Unit }> {
  return Object.assign(
    (input: unknown, scope = PLAIN) => ({ value: param(input, scope), unit: scope.unit }),
    param.doc && { doc: param.doc },
  )
}

/** The unit of the endpoint, for methods without parameters. It reads no parameter, so the documentation does not list it. */
export const ownUnit: Param<Unit> = (_, { unit } = PLAIN) => unit
ownUnit.doc = { name: 'unit', schema: {}, required: false, hidden: true }
