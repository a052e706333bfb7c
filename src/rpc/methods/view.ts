import { MethodNotSupportedError } from '../../lib/errors.ts'
import type { AnyMethod } from '../method.ts'
import { methods } from './index.ts'

/** The methods of a view: on the solidified one, those that only make sense at the head are refused. */
export function methodsOf(
  view: 'full' | 'solid',
  more: Record<string, AnyMethod> = {},
): Record<string, AnyMethod> {
  const all: Record<string, AnyMethod> = { ...methods, ...more }
  if (view === 'full') return all
  return Object.fromEntries(
    Object.entries(all).map(([name, method]) => [
      name,
      method.fullOnly ? refused(name, method) : method,
    ]),
  )
}

function refused(name: string, method: AnyMethod): AnyMethod {
  return {
    ...method,
    params: [],
    handler() {
      throw new MethodNotSupportedError(name, 'not available on the solidified view')
    },
  }
}
