import { readFileSync, statSync } from 'node:fs'

import type { Address } from 'viem'

import { accountOfKey } from '../lib/accountOfKey.ts'
import { toRpcAddress } from '../lib/address.ts'
import type { PrivateKey } from '../native/protobuf/signature.ts'

/** The managed accounts. Only code that signs may call `keyOf`. */
export type ManagedKeys = {
  /** In the given order. */
  readonly accounts: readonly Address[]
  keyOf(account: Address): PrivateKey | undefined
}

/** Creates managed keys. @throws TypeError with the position, never the content, of an invalid key. */
export function createManagedKeys(keys: readonly PrivateKey[] = []): ManagedKeys {
  const byAccount = new Map<Address, PrivateKey>()
  for (const [index, key] of keys.entries())
    try {
      byAccount.set(toRpcAddress(accountOfKey(key)), key)
    } catch {
      throw notAKey(index)
    }
  return {
    accounts: [...byAccount.keys()],
    keyOf: (account) => byAccount.get(account.toLowerCase() as Address),
  }
}

/**
 * Private keys in a text: hex words separated by white space or commas, or a JSON array. A line that begins with `#` is a
 * comment.
 *
 * @throws TypeError with the position of an invalid key.
 */
export function parseKeys(text: string): PrivateKey[] {
  const words = text
    .replace(/^\s*#.*$/gm, '')
    .split(/[\s,[\]"]+/)
    .filter(Boolean)
  for (const [index, word] of words.entries()) if (!isKey(word)) throw notAKey(index)
  return words
}

function notAKey(index: number): TypeError {
  return new TypeError(`managed key ${index + 1} is not a private key (32 bytes of hex)`)
}

/** Whether a text is one private key in hex. */
const isKey = (text: string): boolean => /^(?:0x)?[\da-f]{64}$/i.test(text)

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
  let text = option
  try {
    if (!holdsKeys(option)) text = readFileSync(option, 'utf8')
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
const holdsKeys = (option: string): boolean => isKey(option.split(/[\s,]+/).find(Boolean) ?? '')
