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
