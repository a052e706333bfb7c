import { expect, test } from 'vitest'

import { shownRelease, shownText } from './shownText.ts'

const KEY = 'f00dfeed12345678'

test.each([
  'Contract validate error : balance is not sufficient.',
  'Validate TransferContract error, no OwnerAccount.',
  "Not enough energy for 'SSTORE' operation executing: curInvokeEnergyLimit[100], curOpEnergy[20000], usedEnergy[0]",
  'account [TZ7U1WVBRLZ2umjizxqz3XfearEHhXKX7h] does not exist',
  'Account resource insufficient error.',
  'REVERT opcode executed',
  'NOT_ENOUGH_EFFECTIVE_CONNECTION',
  'Tapos check error',
  'the amount 9223372036854775807 exceeds 1.5',
])('default: %s', (text) => {
  expect(shownText(text, 'no')).toBe(text)
})

test.each([
  ['the path of the request', `bad key in /${KEY}/wallet/getaccount`],
  ['an address', 'connect to http://10.0.0.1:8090 failed'],
  ['a query', 'no such key?apikey=1'],
  ['markup', '<html><body>no</body></html>'],
  ['a text with lines', 'at a.b.C\n\tat d.e.F'],
  ['a text with control characters', 'no\u001b[31m'],
  ['a very long text', 'no '.repeat(200)],
  ['nothing', ' '],
])('behavior: %s is not shown', (_, text) => {
  expect(shownText(text, 'no')).toBe('no')
})

test.each([
  ['a key', `invalid key ${KEY}.`, 'invalid key ….'],
  ['a UUID', 'no 123e4567-e89b-12d3-a456-426614174000', 'no …'],
  ['a host', 'connect to node-3.internal:8090 refused', 'connect to …:8090 refused'],
  ['a class', 'org.tron.core.Wallet failed', '… failed'],
])('behavior: %s in a sentence is left out', (_, text, shown) => {
  expect(shownText(text, 'no')).toBe(shown)
})

test('args: a release', () => {
  expect(['4.8.0', '4.8.2', '4.8.2-beta1'].map(shownRelease)).not.toContain(undefined)
  expect([undefined, 4, '', KEY, 'v/1.2', '4.8.2 at /data'].map(shownRelease)).toEqual(
    Array.from({ length: 6 }),
  )
})
