import type { JsonSchema } from '../lib/jsonSchema.ts'
import { amount } from './schemas.ts'
import type { Unit } from './unit.ts'

/** The places of coin amounts in a JSON value: the value, by member, or (as a list of one) in every element of a list. */
export type Amounts = 'amount' | { readonly [member: string]: Amounts } | readonly [Amounts]

/** The places of coin amounts in values of a schema; undefined if there are none. */
export function amountsIn(schema: JsonSchema | undefined): Amounts | undefined {
  if (schema === undefined) return undefined
  if (schema === amount) return 'amount'
  const element = amountsIn(schema.items)
  if (element !== undefined) return [element]
  for (const choice of schema.oneOf ?? schema.anyOf ?? []) {
    const found = amountsIn(choice)
    if (found !== undefined) return found
  }
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const found = amountsIn(member)
    return found === undefined ? [] : [[name, found] as const]
  })
  return members.length > 0 ? Object.fromEntries(members) : undefined
}

/** Converts the amounts of a JSON value from sun to another unit. Other members do not change. */
export function inUnit(amounts: Amounts, value: unknown, unit: Unit): unknown {
  if (amounts === 'amount')
    return typeof value === 'string' ? `0x${unit.fromSun(BigInt(value)).toString(16)}` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(amounts)) {
    const [element] = amounts as readonly [Amounts]
    return Array.isArray(value) ? value.map((item) => inUnit(element, item, unit)) : value
  }
  const changed: Record<string, unknown> = { ...value }
  for (const [member, inner] of Object.entries(amounts))
    if (member in changed) changed[member] = inUnit(inner, changed[member], unit)
  return changed
}
