import type { AnyMethod } from '../jsonrpc/method.ts'

/** A method under the prefixes that tools use for it. */
export function named(
  prefixes: readonly string[],
  name: string,
  method: AnyMethod,
): Record<string, AnyMethod> {
  return Object.fromEntries(prefixes.map((prefix) => [`${prefix}_${name}`, method]))
}
