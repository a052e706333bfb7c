import { readFileSync, statSync } from 'node:fs'

import type { PrivateKey } from '../native/protobuf/signature.ts'
import { isKey, parseKeys } from './keys.ts'

/** Warnings for the log about keys that other users can read. @param args - the command line */
export function keyWarnings(option: string | undefined, args: readonly string[]): string[] {
  if (option === undefined || option.trim() === '') return []
  if (holdsKeys(option))
    return args.some((arg) => arg.includes(option))
      ? [
          'every user of this machine can read the private keys on the command line: give --keys a file, or set ETHGATE_KEYS',
        ]
      : []
  try {
    return statSync(option).mode & 0o004
      ? ['every user of this machine can read the file of --keys: chmod 600 it']
      : []
  } catch {
    return []
  }
}

/**
 * The keys that an option names. Its value is the path of a file with one key a line, or the keys themselves, for an
 * environment variable.
 *
 * @throws Error that says what to do. Its message never contains a key.
 */
export function readManagedKeys(option: string | undefined): PrivateKey[] {
  if (option === undefined || option.trim() === '') return []
  if (holdsKeys(option)) return parseKeys(option)
  let text: string
  try {
    text = readFileSync(option, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // The option may be a mistyped key, so the message does not repeat it.
    // oxlint-disable-next-line eslint/preserve-caught-error -- its text repeats the option too
    throw new Error(
      `--keys: the file cannot be read (${code}): give a file with one hex key a line`,
    )
  }
  return parseKeys(text)
}

/** Whether an option contains keys instead of a path. */
function holdsKeys(option: string): boolean {
  return isKey(option.split(/[\s,]+/).find(Boolean) ?? '')
}
