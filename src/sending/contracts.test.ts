import type { Address } from 'viem'
import { expect, test } from 'vitest'

import { defineMethod } from '../jsonrpc/method.ts'
import { createContracts, createdContract, resolvingContracts } from './contracts.ts'
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

test('behavior: methods see the contract that a predicted address means', async () => {
  const echo = defineMethod({
    params: [(input) => input, (input) => input],
    summary: '',
    handler: (_, params) => params,
  })
  const methods = resolvingContracts({
    eth_call: echo,
    eth_getCode: echo,
    eth_getLogs: echo,
    eth_subscribe: echo,
    web3_sha3: echo,
  })
  const contractAt = (address: Address) => (address === contract.predicted ? actual : address)
  const context = { sending: { contractAt } } as never
  const { predicted } = contract
  const addresses = [predicted, other]
  const call = (name: keyof typeof methods, ...params: [unknown, unknown]) =>
    methods[name].handler(context, params)

  expect(call('eth_call', { data: '0x', to: predicted }, 1)).toEqual([
    { data: '0x', to: actual },
    1,
  ])
  expect(call('eth_call', { data: '0x' }, 1)).toEqual([{ data: '0x' }, 1])
  expect(call('eth_getCode', predicted, 1)).toEqual([actual, 1])
  expect(call('eth_getLogs', { addresses }, 1)).toEqual([{ addresses: [actual, other] }, 1])
  expect(call('eth_subscribe', 'logs', { filter: { addresses } })).toEqual([
    'logs',
    { filter: { addresses: [actual, other] } },
  ])
  expect(call('web3_sha3', predicted, 1)).toEqual([predicted, 1])
})
