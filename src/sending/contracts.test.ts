import type { Address } from 'viem'
import { expect, test } from 'vitest'

import { createContracts, createdContract } from './contracts.ts'
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

test('behavior: replicas learn from the store', async () => {
  const store = createMemorySentStore()
  const contracts = createContracts(store)
  await store.addContract(contract)
  expect(contracts.resolve(contract.predicted)).toBe(contract.predicted)
  await contracts.refresh()
  expect(contracts.resolve(contract.predicted)).toBe(actual)
  expect(contracts.resolve(other)).toBe(other)
})
