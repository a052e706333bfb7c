import { usageError } from '../base/errors.ts'

/** The integer of an option. @throws CommandError (usage) that names the option and the range */
export function wholeNumber(
  text: string,
  option: string,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
): number {
  const number = Number(text)
  if (/^\d+$/.test(text) && number >= min && number <= max) return number
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`
  throw usageError(`${option} needs a whole number ${range}, got "${text}"`)
}
