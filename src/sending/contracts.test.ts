import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'

import { createContracts, createdContract, type PredictedAddresses } from './contracts.ts'
import { createMemorySentStore } from './memorySentStore.ts'
import type { CreatedContract } from './sentStore.ts'

const from: Address = '0xdd791d6b49e190062d650e6a23c575510d35f2f9'
const actual: Address = '0x584587b353166787b37d1b05a4a91e59c5370bcf'
const other: Address = `0x${'0b'.repeat(20)}`

/** A documented deployment: its id, its creator, its contract. */
const id = '0x7fe721c3f85b6c1c9491df43778c98903b565bc4210592f449f41342041729b3'
const contract = createdContract(id, from, 0)

test('default: derived from id and creator; predicted from creator and nonce', () => {
  expect(contract).toEqual({ actual, predicted: '0x387bfa2f706654ccc3e680cd2ca770ddba187bd5' })
})

test('behavior: replicas read new contracts from the store', async () => {
  const store = createMemorySentStore()
  const contracts = createContracts(store)
  await store.reserve({ id, from, expiration: 1_000 })
  await store.addContract(id)
  expect(contracts.resolve(contract.predicted)).toBe(contract.predicted)
  await contracts.refresh()
  expect(contracts.resolve(contract.predicted)).toBe(actual)
  expect(contracts.resolve(other)).toBe(other)
  // The creation expired without being mined.
  await store.change(id, { event: 'expired' })
  await contracts.refresh()
  expect(contracts.resolve(contract.predicted)).toBe(contract.predicted)
})

describe('inData', () => {
  const { predicted } = contract
  const word = (address: Address) => `${'0'.repeat(24)}${address.slice(2)}`
  const call = `0xa9059cbb${word(other)}${word(predicted)}` as const

  const known = async (mode?: PredictedAddresses, records: CreatedContract[] = [contract]) => {
    const store = { contracts: async () => ({ contracts: records, next: records.length }) }
    const contracts = createContracts(store, mode)
    await contracts.refresh()
    return contracts
  }

  test.each([
    ['a word of call data', call],
    ['a word of call data in upper case', `0xa9059cbb${word(predicted).toUpperCase()}`],
    ['a constructor argument at any byte', `0x600160${word(predicted)}`],
    ['a bare address in packed data', `0x01${predicted.slice(2)}02`],
    ['a topic', `0x${word(predicted)}`],
    ['an address that another one overlaps', `0x${predicted.slice(2, 4)}${predicted.slice(2)}`],
  ] as const)('error: %s is rejected with both addresses', async (_, data) => {
    const contracts = await known()
    expect(() => contracts.inData(data)).toThrow(
      expect.objectContaining({
        code: -32000,
        data: { actual, predicted },
        message: expect.stringContaining(`contains ${predicted}`),
      }),
    )
  })

  test('args: rewrite replaces whole words and returns the replaced addresses', async () => {
    const contracts = await known('rewrite')
    expect(contracts.inData(call)).toEqual({
      data: `0xa9059cbb${word(other)}${word(actual)}`,
      replaced: [contract],
    })
    expect(contracts.inData(`0x${word(predicted)}${word(predicted)}`)).toEqual({
      data: `0x${word(actual)}${word(actual)}`,
      replaced: [contract],
    })
  })

  test('behavior: every replacement in 4 MB of data', async () => {
    const contracts = await known('rewrite')
    const data = `0x${word(predicted).repeat(65_536)}` as const
    expect(contracts.inData(data).data === `0x${word(actual).repeat(65_536)}`).toBe(true)
  })

  test('behavior: of two records of one predicted address the last one counts', async () => {
    const contracts = await known('refuse', [{ actual: other, predicted }, contract])
    expect(contracts.resolve(predicted)).toBe(actual)
  })

  test('error: an address that is not a whole word is rejected in both modes', async () => {
    const contracts = await known('rewrite')
    expect(() => contracts.inData(`0x01${predicted.slice(2)}02`)).toThrow(
      /only whole words are replaced/,
    )
  })

  test('behavior: other data is unchanged', async () => {
    const contracts = await known()
    const data = `0xA9059cbb${word(other)}` as const
    expect(contracts.inData(data).data.toLowerCase()).toBe(data.toLowerCase())
    expect(createContracts(createMemorySentStore()).inData(call)).toEqual({
      data: call,
      replaced: [],
    })
    // Half a byte later it is not an address.
    expect(contracts.inData(`0x0${predicted.slice(2)}0`).replaced).toEqual([])
  })
})
