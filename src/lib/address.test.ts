import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import {
  contractAddress,
  hasWrongChecksum,
  parseAddress,
  toBase58Address,
  toNativeAddress,
  toRpcAddress,
  toRpcAddressOrNull,
  ZERO_ADDRESS,
} from './address.ts'

/** From the documentation of a public test network. */
const pairs = [
  ['41dd791d6b49e190062d650e6a23c575510d35f2f9', 'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHp'],
  ['41eca9bc828a3005b9a3b909f2cc5c2a54794de05f', 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf'],
] as const

describe('parseAddress', () => {
  test('default', () => {
    for (const [native, base58] of pairs) {
      const address = `0x${native.slice(2)}`
      const spellings = [
        address,
        native,
        base58,
        `0x${native}`,
        address.slice(2),
        native.toUpperCase(),
      ]
      expect(spellings.map(parseAddress)).toEqual(spellings.map(() => address))
    }
  })

  test('behavior: any other text is undefined', () => {
    const inputs = [
      '',
      '0x',
      '0x1234',
      `0x${'g'.repeat(40)}`,
      // 21 bytes with another prefix.
      '548794500882809695a8a687866e76d4271a1abc00',
      // A digit of the checksum is wrong.
      'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpHq',
      'TWAFRfZFmhVQZjxM3De7Mp5UZ9sLqWqpH',
      '0OIl',
    ]
    expect(inputs.map(parseAddress)).toEqual(inputs.map(() => undefined))
  })
})

test('behavior: every address is read back from every format', () => {
  const addresses = fc.uint8Array({ minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(addresses, (bytes) => {
      const address = `0x${Buffer.from(bytes).toString('hex')}` as const
      expect(parseAddress(toBase58Address(address))).toBe(address)
      expect(parseAddress(toNativeAddress(address))).toBe(address)
      expect(toRpcAddress(toNativeAddress(address))).toBe(address)
    }),
  )
})

test('hasWrongChecksum', () => {
  const right = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const wrong = '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  expect(
    [right, right.toLowerCase(), `0x${right.slice(2).toUpperCase()}`, wrong].map(hasWrongChecksum),
  ).toEqual([false, false, false, true])
})

test('contractAddress: of a contract of a real node', () => {
  const id = '7fe721c3f85b6c1c9491df43778c98903b565bc4210592f449f41342041729b3'
  const from = '0xdd791d6b49e190062d650e6a23c575510d35f2f9'
  const address = '0x584587b353166787b37d1b05a4a91e59c5370bcf'
  expect([contractAddress(id, from), contractAddress(`0x${id}`, from)]).toEqual([address, address])
})

test('toBase58Address', () => {
  for (const [native, base58] of pairs) expect(toBase58Address(`0x${native.slice(2)}`)).toBe(base58)
})

describe('toRpcAddress', () => {
  test('args: the 20 bytes of a log', () => {
    expect(toRpcAddress('13eb96915a70a53b2ab0fc2f2df09f78137abb8c')).toBe(
      '0x13eb96915a70a53b2ab0fc2f2df09f78137abb8c',
    )
  })

  test('behavior: ASCII text of genesis and absent fields are the zero address, or null as `to`', () => {
    const inputs = ['3078303030303030303030303030303030303030303030', '', undefined, 7]
    expect(inputs.map(toRpcAddress)).toEqual(inputs.map(() => ZERO_ADDRESS))
    expect(inputs.map(toRpcAddressOrNull)).toEqual(inputs.map(() => null))
  })
})
