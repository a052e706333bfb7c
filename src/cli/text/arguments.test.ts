import { type AbiFunction, decodeFunctionData, getAddress } from 'viem'
import { expect, test } from 'vitest'

import { CommandError } from '../base/errors.ts'
import { signatures } from './abi.ts'
import { encodeCall } from './arguments.ts'

const encode = (signature: string, ...words: string[]) => {
  const abi = signatures([signature], '--sig')
  return decodeFunctionData({ abi, data: encodeCall(abi[0] as AbiFunction, words) }).args
}

test('default: words become values', () => {
  expect(
    encode(
      'f(address,uint256,int8,bool,bytes,bytes2,string)',
      'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp',
      '1_000',
      '-1',
      'true',
      '0x0102',
      '0xabcd',
      '12',
    ),
  ).toEqual([
    getAddress('0xdd791d6b49e190062d650e6a23c575510d35f2f9'),
    1000n,
    -1,
    true,
    '0x0102',
    '0xabcd',
    '12',
  ])
})

test('args: an integer with separators between thousands', () => {
  expect(encode('f(uint256,int256)', '1,234,567', '-1_000')).toEqual([1_234_567n, -1_000n])
})

test('args: lists and tuples as JSON, with every digit', () => {
  expect(
    encode(
      'f(uint256[],(uint256,address)[])',
      '[9007199254740993]',
      '[[1,"0x0000000000000000000000000000000000000001"]]',
    ),
  ).toEqual([[9_007_199_254_740_993n], [[1n, '0x0000000000000000000000000000000000000001']]])
  expect(encode('f((uint256 a, bool b) p)', '{"a":5,"b":false}')).toEqual([{ a: 5n, b: false }])
})

test('args: lists and tuples as cast reads them', () => {
  expect(
    encode(
      'f((uint256,string)[],address[],(bool a,bytes b) c)',
      '[(1, hello world),(2,"a, b")]',
      '[TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp]',
      '(true,0x12)',
    ),
  ).toEqual([
    [
      [1n, 'hello world'],
      [2n, 'a, b'],
    ],
    [getAddress('0xdd791d6b49e190062d650e6a23c575510d35f2f9')],
    { a: true, b: '0x12' },
  ])
})

test('error: what does not fit', () => {
  const cases: [string, ...string[]][] = [
    ['f(uint256)', 'x'],
    ['f(uint256)'],
    ['f(address)', '0x12'],
    ['f(bool)', '1'],
    ['f(bytes2)', '0xabcdef'],
    ['f(uint256[2])', '[1]'],
    ['f(uint256[])', '1'],
    ['f(nonsense)', '1'],
    ['f(uint8)', '256'],
    ['f(uint256)', '-1'],
    ['f(uint256)', '1,5'],
  ]
  for (const [signature, ...words] of cases)
    expect(() => encode(signature, ...words)).toThrow(CommandError)
})
