import { SUN, type Unit } from '../../codec/unit.ts'
import type { Param, ParamScope } from './params.ts'

/** A parameter, and the unit of the endpoint (sun or wei). */
export function withUnit<value>(param: Param<value>): Param<{ value: value; unit: Unit }> {
  return Object.assign(
    (input: unknown, scope?: ParamScope) => ({
      value: param(input, scope),
      unit: scope?.unit ?? SUN,
    }),
    param.doc && { doc: param.doc },
  )
}

/** The unit of the endpoint, for methods without parameters. It reads no parameter, so the documentation does not list it. */
export const ownUnit: Param<Unit> = (_, scope) => scope?.unit ?? SUN
ownUnit.doc = { name: 'unit', schema: {}, required: false, hidden: true }
