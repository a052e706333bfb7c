import { readFileSync } from 'node:fs'

import type { PrivateKey } from '../native/protobuf/signature.ts'
import { isKey, parseKeys } from './keys.ts'

/**
 * The keys that an option names: the path of a file with one key a line, or the keys themselves, as an environment
 * variable may hold them.
 *
 * @throws Error that says what to do. No key is ever part of it.
 */
export function readManagedKeys(option: string | undefined): PrivateKey[] {
  if (option === undefined || option.trim() === '') return []
  if (isKey(option.split(/[\s,]+/).find(Boolean) ?? '')) return parseKeys(option)
  let text: string
  try {
    text = readFileSync(option, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // The option may be a mistyped key, so it is not repeated.
    // oxlint-disable-next-line eslint/preserve-caught-error -- its text repeats the option too
    throw new Error(
      `--keys: the file cannot be read (${code}): give a file with one hex key a line`,
    )
  }
  return parseKeys(text)
}
