import { isDeepStrictEqual } from 'node:util'

import { describe, expect, test } from 'vitest'

import { createTimeSlice } from '../../lib/timeSlice.ts'
import { NodeAnswerError } from '../errors.ts'
import { parseNative, stringifyNative } from './json.ts'
import { parseAnswer } from './parseAnswer.ts'

/** A log with everything that could mislead: quotes, brackets, commas, a number beyond 2^53. */
const log = (index: number) => ({
  address: 'ab'.repeat(20),
  'odd "}],[{\\': `"],[{"id":"\\${index}\\`,
  data: 'cd'.repeat(400),
  topics: [index, [], {}, ['[', ']']],
  value: index % 7 === 0 ? 9_007_199_254_740_993n : index,
  zero: 0,
})
const logs = (count: number) => Array.from({ length: count }, (_, index) => log(index))

const shapes: Record<string, unknown> = {
  'a list': logs(500),
  'a list with spaces': logs(250),
  'an object with lists': { id: 'x', log: logs(250), few: [1, 2], none: [], last: { log: [1] } },
  'a member that is large itself': [log(1), { id: 'x', log: logs(1_000) }, log(2)],
  'a list of texts': Array.from({ length: 5_000 }, (_, index) => `${index}`.padStart(40, 'x')),
  'no list': { text: 'x'.repeat(200_000), deep: { log: logs(250) } },
  'the name of a prototype': { ['__proto__']: logs(250) },
}

describe('parseAnswer', () => {
  test('default', () => {
    expect(parseAnswer('{"a":[1,9007199254740993]}')).toEqual({ a: [1, 9_007_199_254_740_993n] })
  })

  test.each(Object.entries(shapes))('args: %s', async (name, value) => {
    const text = name.includes('spaces')
      ? JSON.stringify(JSON.parse(JSON.stringify(value, plain)), undefined, 2)
      : stringifyNative(value)
    expect(text.length).toBeGreaterThan(100_000)
    const read = await parseAnswer(text)
    expect(isDeepStrictEqual(read, parseNative(text))).toBe(true)
  })

  test.each([
    ['short', logs(8)],
    ['large', { log: logs(1_000) }],
  ])('args: parse reads every part of a %s answer', async (_, value) => {
    const text = stringifyNative(value)
    // The numbers beyond 2^53 show which function has read them.
    const read = await parseAnswer(text, { parse: JSON.parse })
    expect(isDeepStrictEqual(read, JSON.parse(text))).toBe(true)
    expect(isDeepStrictEqual(read, parseNative(text))).toBe(false)
  })

  test('behavior: a large answer gives way to other work', async () => {
    const timeSlice = createTimeSlice({ budget: 0 })
    let given = 0
    const text = stringifyNative(logs(1_000))
    await parseAnswer(text, {
      timeSlice: { ...timeSlice, next: () => (given++, timeSlice.next()) },
    })
    expect(given).toBeGreaterThan(text.length / 200_000)
  })

  test('error: the call has ended', async () => {
    const ended = new Error('the call has ended')
    let checks = 0
    const check = () => {
      if (++checks === 3) throw ended
    }
    await expect(parseAnswer(stringifyNative(logs(1_000)), { check })).rejects.toBe(ended)
    expect(checks).toBe(3)
  })

  test.each([
    ['nested lists', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
    ['nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['lists in a member', `{"a":[1,${'['.repeat(400_000)}${']'.repeat(400_000)}]}`],
    ['a list of three million numbers', `[0${',0'.repeat(3_000_000)}]`],
    ['a text of 9 MB', `[{"log":[{"data":"${'ab'.repeat(4_500_000)}"}]}]`],
  ])('error: %s', async (_, text) => {
    await expect(parseAnswer(text)).rejects.toThrow(NodeAnswerError)
  })

  test.each([
    ['cut within a list', (text: string) => text.slice(0, 300_000)],
    ['cut within a string', (text: string) => text.slice(0, text.lastIndexOf('ab'))],
    ['a bracket too much', (text: string) => `${text}]`],
    ['a bracket too few', (text: string) => text.slice(0, -1)],
    ['a member that is no JSON', (text: string) => text.replaceAll('"value":8,', '"value":,8,')],
    ['HTML', (text: string) => `<html>${text}`],
  ])('error: %s', async (_, change) => {
    const text = change(stringifyNative({ id: 'x', log: logs(500) }))
    expect((await parseAnswer(text)) === undefined).toBe(true)
  })
})

const plain = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)
