import { array, assert, constantFrom, integer, property, uint8Array } from 'fast-check'
import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'

import { assertDecodedSize } from './abiSize.ts'

const word = (value: number) => value.toString(16).padStart(64, '0')

test('default: values of any types that fit are accepted, and one byte less is not enough for long ones', () => {
  const types = parseAbiParameters('uint256 a, (bytes b, uint8[] c, bool[2][] d) e, string f')
  const bytes = uint8Array({ maxLength: 200 })
  const all = property(bytes, array(integer({ min: 0, max: 255 })), (given, list) => {
    const hex = `0x${Buffer.from(given).toString('hex')}` as const
    const values = [1n, { b: hex, c: list, d: [[true, false]] }, 'text'] as const
    const data = encodeAbiParameters(types, values)
    assertDecodedSize(types, data, data.length)
    expect(() => assertDecodedSize(types, data, given.length + 32 * list.length)).toThrow(
      RangeError,
    )
  })
  assert(all)
})

test('error: a list whose items share their bytes', () => {
  const types = parseAbiParameters('bytes[] list')
  const [items, size] = [1_000, 100_000]
  const offsets = word(items * 32).repeat(items)
  const data = `0x${word(32)}${word(items)}${offsets}${word(size)}${'ab'.repeat(size)}` as const
  expect(() => assertDecodedSize(types, data, 10_000_000)).toThrow('more than 10000000 bytes')
})

test('error: lengths and offsets of any size end at once', () => {
  const types = ['bytes[]', 'uint256[]', 'bytes[][][]', '(string,uint8[3][])[]', 'bytes'].map(
    (type) => parseAbiParameters(`${type} value`),
  )
  const words = array(constantFrom(0, 1, 32, 64, 2 ** 30, 2 ** 52, Number.MAX_VALUE / 2 ** 800), {
    maxLength: 12,
  })
  assert(
    property(constantFrom(...types), words, (type, given) => {
      const data =
        `0x${given.map((value) => BigInt(value).toString(16).padStart(64, '0').slice(-64)).join('')}` as const
      // Either they are few, and decoded or refused at once, or they are too many.
      const outcome = faultOf(() => assertDecodedSize(type, data, 50_000))
      if (outcome === undefined) faultOf(() => decodeAbiParameters(type, data))
      return outcome === undefined || outcome instanceof RangeError
    }),
  )
})

/** What a function throws; undefined for nothing. */
function faultOf(work: () => unknown): unknown {
  try {
    work()
    return undefined
  } catch (error) {
    return error
  }
}
