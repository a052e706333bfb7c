import { expect, test } from 'vitest'

import { toRpcSignature } from './signature.ts'

const r = '2154e8ef08f014063de8a88bafe748c8cbb48633c1657c083dca1a73439b289f'
const s = '6aa796bfa58797da6354d35fb7334a8c145c48ae266e4a885f7ee44791b5a3c3'

test('default', () => {
  expect(toRpcSignature(`${r}${s}1b`)).toEqual({
    r: `0x${r}`,
    s: `0x${s}`,
    v: '0x1b',
    yParity: '0x0',
  })
})

test('args: both formats of the parity', () => {
  expect(['00', '01', '1b', '1c', '1f', '20'].map((v) => toRpcSignature(r + s + v).v)).toEqual([
    '0x1b',
    '0x1c',
    '0x1b',
    '0x1c',
    '0x1b',
    '0x1c',
  ])
})

test('behavior: no leading zeros', () => {
  expect(toRpcSignature(`${'00ab'.padEnd(64, '1')}${'0'.repeat(63)}701`)).toMatchObject({
    r: `0x${'ab'.padEnd(62, '1')}`,
    s: '0x7',
  })
})

test('behavior: reads the first 65 bytes of a longer signature', () => {
  expect(toRpcSignature(`${r}${s}01ffff`)).toEqual(toRpcSignature(`${r}${s}01`))
})

test('behavior: zero without a signature', () => {
  const none = { r: '0x0', s: '0x0', v: '0x0', yParity: '0x0' }
  expect([undefined, '', 'abcd'].map(toRpcSignature)).toEqual([none, none, none])
})
