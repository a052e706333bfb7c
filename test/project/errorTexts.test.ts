import { expect, test } from 'vitest'

import { errorTexts } from '../../scripts/errors/texts.ts'

const texts = errorTexts()
const codesOf = (text: string) =>
  new Set(texts.filter((error) => error.text === text).map(({ code }) => code))

test('default: finds the text and code of an error that a class fixes', () => {
  expect(codesOf('filter not found')).toEqual(new Set(['-32000']))
  expect(codesOf('the upstream node is unreachable')).toEqual(new Set(['-32603']))
})

test('behavior: puts the texts of the place that throws into those of the classes', () => {
  expect(codesOf('historical state of block … is not available')).toEqual(new Set(['-32000']))
  expect(codesOf('invalid argument 0: no such block')).toEqual(new Set(['-32602']))
})

test('behavior: lists each alternative, the texts of tables, and those of functions that make an error', () => {
  expect(codesOf('gas required exceeds allowance')).toEqual(new Set(['-32000']))
  expect(codesOf('gas required exceeds allowance (…)')).toEqual(new Set(['-32000']))
  expect(codesOf('exceed max filters of one client: …')).toEqual(new Set(['-32005']))
  expect(codesOf('the password is missing')).toEqual(new Set(['']))
})

test('behavior: finds the errors that are objects', () => {
  expect(codesOf('Parse error')).toEqual(new Set(['-32700']))
})
