import { SUN, type Unit } from '../codec/unit.ts'
import type { Param, ParamScope } from './params.ts'

/** A parameter with the unit in which the client counts. */
export function withUnit<value>(param: Param<value>): Param<{ value: value; unit: Unit }> {
  return Object.assign(
    (input: unknown, scope?: ParamScope) => ({
      value: param(input, scope),
      unit: scope?.unit ?? SUN,
    }),
    param.doc && { doc: param.doc },
  )
}

/** The unit in which the client counts, for methods without parameters. It reads no parameter and is not documented as one. */
export const ownUnit: Param<Unit> = (_, scope) => scope?.unit ?? SUN
ownUnit.doc = { name: 'unit', schema: {}, required: false, hidden: true }
