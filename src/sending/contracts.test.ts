import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'

import { createContracts, createdContract, type PredictedAddresses } from './contracts.ts'
import { createMemorySentStore } from './memorySentStore.ts'

const from: Address = '0xdd791d6b49e190062d650e6a23c575510d35f2f9'
const actual: Address = '0x584587b353166787b37d1b05a4a91e59c5370bcf'
const other: Address = `0x${'0b'.repeat(20)}`

/** A documented deployment: its id, its creator, its contract. */
const contract = createdContract(
  '0x7fe721c3f85b6c1c9491df43778c98903b565bc4210592f449f41342041729b3',
  from,
  0,
)

test('default: derived from id and creator; predicted from creator and nonce', () => {
  expect(contract).toEqual({ actual, predicted: '0x387bfa2f706654ccc3e680cd2ca770ddba187bd5' })
})

test('behavior: replicas read new contracts from the store', async () => {
  const store = createMemorySentStore()
  const contracts = createContracts(store)
  await store.addContract(contract)
  expect(contracts.resolve(contract.predicted)).toBe(contract.predicted)
  await contracts.refresh()
  expect(contracts.resolve(contract.predicted)).toBe(actual)
  expect(contracts.resolve(other)).toBe(other)
})

describe('inData', () => {
  const { predicted } = contract
  const word = (address: Address) => `${'0'.repeat(24)}${address.slice(2)}`
  const call = `0xa9059cbb${word(other)}${word(predicted)}` as const

  const known = (mode?: PredictedAddresses) => {
    const contracts = createContracts(createMemorySentStore(), mode)
    contracts.add(contract)
    return contracts
  }

  test.each([
    ['a word of call data', call],
    ['a word of call data in upper case', `0xa9059cbb${word(predicted).toUpperCase()}`],
    ['a constructor argument at any byte', `0x600160${word(predicted)}`],
    ['a bare address in packed data', `0x01${predicted.slice(2)}02`],
    ['a topic', `0x${word(predicted)}`],
    ['an address that another one overlaps', `0x${predicted.slice(2, 4)}${predicted.slice(2)}`],
  ] as const)('error: %s is rejected with both addresses', (_, data) => {
    expect(() => known().inData(data)).toThrow(
      expect.objectContaining({
        code: -32000,
        data: { actual, predicted },
        message: expect.stringContaining(`contains ${predicted}`),
      }),
    )
  })

  test('args: rewrite replaces whole words and returns the replaced addresses', () => {
    expect(known('rewrite').inData(call)).toEqual({
      data: `0xa9059cbb${word(other)}${word(actual)}`,
      replaced: [contract],
    })
    expect(known('rewrite').inData(`0x${word(predicted)}${word(predicted)}`)).toMatchObject({
      data: `0x${word(actual)}${word(actual)}`,
    })
  })

  test('error: an address that is not a whole word is rejected in both modes', () => {
    expect(() => known('rewrite').inData(`0x01${predicted.slice(2)}02`)).toThrow(
      /only whole words are replaced/,
    )
  })

  test('behavior: other data is unchanged', () => {
    const data = `0xA9059cbb${word(other)}` as const
    expect(known().inData(data).data.toLowerCase()).toBe(data.toLowerCase())
    expect(createContracts(createMemorySentStore()).inData(call)).toEqual({
      data: call,
      replaced: [],
    })
    // Half a byte later it is not an address.
    expect(known().inData(`0x0${predicted.slice(2)}0`).replaced).toEqual([])
  })
})
