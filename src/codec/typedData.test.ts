import fc from 'fast-check'
import { hashTypedData as expected, type TypedDataDefinition } from 'viem'
import { describe, expect, test } from 'vitest'

import { hashTypedData } from './typedData.ts'

const mail = {
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  primaryType: 'Mail',
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[2]' },
      { name: 'contents', type: 'bytes' },
      { name: 'grid', type: 'int16[2][]' },
      { name: 'flag', type: 'bool' },
      { name: 'tag', type: 'bytes4' },
      { name: 'big', type: 'uint256' },
    ],
  },
  message: {
    from: { name: 'Cow', wallets: ['0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826'] },
    to: [
      { name: 'Bob', wallets: [] },
      { name: 'Bôb', wallets: ['0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB'] },
    ],
    contents: '0xdeadbeef',
    grid: [[1, -2]],
    flag: true,
    tag: '0x01020304',
    big: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
  },
}

const asViem = (data: object) => expected(data as TypedDataDefinition)

test('default: the same hash as viem', () => {
  expect(hashTypedData(mail)).toBe(asViem(mail))
})

test('args: an explicit domain type, and a domain alone', () => {
  const EIP712Domain = [{ name: 'salt', type: 'bytes32' }]
  const given = {
    ...mail,
    domain: { salt: `0x${'07'.repeat(32)}`, name: 'ignored' },
    types: { ...mail.types, EIP712Domain },
  }
  expect(hashTypedData(given)).toBe(asViem(given))
  const alone = { ...given, primaryType: 'EIP712Domain', message: {} }
  expect(hashTypedData(alone)).toBe(asViem(alone))
})

test('behavior: the same hash as viem for any values', () => {
  const atom = fc.oneof(
    fc.tuple(fc.constant('string'), fc.string()),
    fc.tuple(fc.constant('bool'), fc.boolean()),
    fc.tuple(fc.constant('uint64'), fc.bigInt(0n, 2n ** 64n - 1n).map(String)),
    fc.tuple(fc.constant('int256'), fc.bigInt(-(2n ** 255n), 2n ** 255n - 1n).map(String)),
    fc.tuple(
      fc.constant('bytes3'),
      fc
        .uint8Array({ minLength: 3, maxLength: 3 })
        .map((b) => `0x${Buffer.from(b).toString('hex')}`),
    ),
  )
  fc.assert(
    fc.property(fc.array(atom, { minLength: 1, maxLength: 8 }), (atoms) => {
      const data = {
        domain: {},
        primaryType: 'A',
        types: { A: atoms.map(([type], index) => ({ name: `f${index}`, type })) },
        message: Object.fromEntries(atoms.map(([, value], index) => [`f${index}`, value])),
      }
      expect(hashTypedData(data)).toBe(asViem(data))
    }),
  )
})

test('behavior: values of other kinds are refused for every type', () => {
  const values = [0, 1, -1, 1.5, '', 'x', '0', '0x', '0x0', '0x00', true, false, null, undefined]
  const accepted: Record<string, unknown[]> = {
    string: values.filter((value) => typeof value === 'string'),
    bytes: ['0x', '0x00'],
    bytes1: ['0x00'],
    bool: [true, false],
    address: [],
    uint8: [0, 1, '0', '0x0', '0x00'],
    int8: [0, 1, -1, '0', '0x0', '0x00'],
  }
  for (const [type, expected] of Object.entries(accepted)) {
    const isAccepted = (value: unknown) => {
      const types = { A: [{ name: 'v', type }] }
      try {
        hashTypedData({ domain: {}, primaryType: 'A', types, message: { v: value } })
        return true
      } catch {
        return false
      }
    }
    expect([type, [...values, [], {}].filter(isAccepted)]).toEqual([type, expected])
  }
})

describe('errors', () => {
  const of = (type: string, value: unknown, more: Record<string, unknown> = {}) => ({
    domain: {},
    primaryType: 'A',
    types: { A: [{ name: 'v', type }], ...more },
    message: { v: value },
  })

  test.each([
    [
      'an object with a length instead of text',
      { ...mail, domain: { name: { length: 1e9 } } },
      'domain.name: expected string, got an object',
    ],
    [
      'a type that objects inherit',
      of('constructor', {}),
      'types.A.v: there is no type "constructor"',
    ],
    [
      'a value that objects inherit',
      { ...of('string', ''), types: { A: [{ name: 'toString', type: 'string' }] } },
      'message.toString: expected string, got undefined',
    ],
    [
      'an unknown primary type',
      { ...mail, primaryType: 'toString' },
      'primaryType: there is no type "toString"',
    ],
    ['a number that is too large', of('uint8', 256), 'message.v: expected uint8, got 256'],
    ['a negative number', of('uint8', -1), 'message.v: expected uint8, got -1'],
    ['a number that is not exact', of('uint256', 2 ** 60), 'expected uint256'],
    ['digits without end', of('uint256', '9'.repeat(1_000_000)), 'expected uint256'],
    ['odd hex', of('bytes', '0x1'), 'expected bytes'],
    ['a short address', of('address', '0x12'), 'expected address'],
    [
      'a list of another length',
      of('bool[2]', [true]),
      'message.v: expected a list of 2 (bool[2])',
    ],
    ['not a list', of('bool[]', { length: 3 }), 'message.v: expected a list (bool[])'],
    ['an invalid type', of('uint7', 1), 'there is no type "uint7"'],
    ['fields that are not a list', { ...mail, types: { Mail: {} } }, 'types.Mail: expected a list'],
    [
      'a field without a name',
      { ...mail, types: { Mail: [{ type: 'bool' }] } },
      'types.Mail[0]: expected a field with a name',
    ],
    ['a missing struct', { ...mail, message: {} }, 'message.from: expected an object (Person)'],
    [
      'many values',
      of(
        'bool[]',
        Array.from({ length: 20_000 }, () => true),
      ),
      'more than 10000 values',
    ],
    ['much text', of('string', 'x'.repeat(200_000)), 'more than 131072 bytes'],
    [
      'many types',
      {
        ...mail,
        types: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`T${n}`, []])),
      },
      'more than 1000 fields',
    ],
  ])('error: %s', (_, data, message) => {
    expect(() => hashTypedData(data as typeof mail)).toThrow(message)
  })

  test('error: a recursive type ends with its values', () => {
    let message: object = {}
    for (let depth = 0; depth < 40; depth++) message = { a: message, b: message }
    const fields = ['a', 'b'].map((name) => ({ name, type: 'A' }))
    const data = { domain: {}, primaryType: 'A', types: { A: fields }, message }
    expect(() => hashTypedData(data)).toThrow(/deeper than|more than/)
  })
})
