import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { createManagedKeys, keyWarnings, parseKeys, readManagedKeys } from './keys.ts'

const key = '15b6c40dce4ca2053f2a6b4297e63cdc1a57e0415d5a8baf976b060c8701d2e3'
const account = '0xab9d99702700d5cb9e1309374606fe24a4fdf8ba'

test('default: keys by account, in any letter case', () => {
  const keys = createManagedKeys([key])
  expect(keys.accounts).toEqual([account])
  expect(keys.keyOf(`0x${account.slice(2).toUpperCase()}`)).toBe(key)
  expect(keys.keyOf(`0x${'00'.repeat(20)}`)).toBeUndefined()
})

test.each([
  ['one a line, with remarks', `# alice\n${key}\n\n0x${key}\n`],
  ['commas', `${key}, 0x${key}`],
  ['a JSON list', JSON.stringify([key, `0x${key}`])],
])('args: %s', (_, text) => {
  expect(parseKeys(text)).toEqual([key, `0x${key}`])
})

test('args: the option is a file or the keys themselves', () => {
  const directory = mkdtempSync(join(tmpdir(), 'keys-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'keys.txt')
  writeFileSync(file, `${key}\n`)
  expect(readManagedKeys(file)).toEqual([key])
  expect(readManagedKeys(`${key},${key}`)).toEqual([key, key])
  expect(readManagedKeys(undefined)).toEqual([])
})

test('behavior: warns of keys that other users can read', () => {
  const directory = mkdtempSync(join(tmpdir(), 'keys-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'keys.txt')
  writeFileSync(file, `${key}\n`, { mode: 0o600 })
  expect(keyWarnings(file, ['serve', '--keys', file])).toEqual([])
  chmodSync(file, 0o644)
  expect(keyWarnings(file, ['serve', '--keys', file])).toEqual([
    'every user of this machine can read the file of --keys: chmod 600 it',
  ])
  const warnings = keyWarnings(key, ['serve', `--keys=${key}`])
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).not.toContain(key)
  expect(keyWarnings(key, ['serve'])).toEqual([])
  expect(keyWarnings(undefined, [])).toEqual([])
})

test('error: messages have the position and never the text', () => {
  const almost = key.slice(1)
  const messages = [
    () => parseKeys(`${key} ${almost}`),
    () => createManagedKeys(['ff'.repeat(32)]),
    () => readManagedKeys(almost),
  ].map((attempt) => {
    try {
      return attempt() && 'no error'
    } catch (error) {
      return (error as Error).message
    }
  })
  expect(messages).toEqual([
    'managed key 2 is not a private key (32 bytes of hex)',
    'managed key 1 is not a private key (32 bytes of hex)',
    '--keys: the file cannot be read (ENOENT): give a file with one hex key a line',
  ])
})
