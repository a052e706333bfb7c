import { expect, test } from 'vitest'

import { createFees } from './fees.ts'

const MAX_FEE_LIMIT = 15_000_000_000n
const certainTo = 1_000

const fees = (price = 210n) =>
  createFees({
    chain: { energyPrice: async () => price, energyPriceCertainTo: () => certainTo },
    native: {
      wallet: {
        getChainParameters: async () => ({
          chainParameter: [
            { key: 'getMaxFeeLimit', value: Number(MAX_FEE_LIMIT) },
            { key: 'getTransactionFee', value: 1_000 },
            { key: 'getCreateAccountFee', value: 100_000 },
            { key: 'getCreateNewAccountFeeInSystemContract', value: 1_000_000 },
            { key: 'getMemoFee', value: 7 },
          ],
        }),
      },
      solidity: {
        getAccount: async ({ address }) => (address === '41aa' ? { address } : undefined),
      },
    },
  })

const offer = { expiration: certainTo, gas: 50_000n }

test('default: gas times the energy price', async () => {
  expect(await fees().limit(offer)).toBe(10_500_000n)
  expect(await fees().limit({ ...offer, gasPrice: 210n })).toBe(10_500_000n)
})

test('behavior: a maximum above the energy price does not raise the limit', async () => {
  // ethers 5 adds a tip of 1.5 gwei, web3.js one of 2.5 gwei.
  for (const gasPrice of [1_500_000_420n, 2_500_000_420n])
    expect(await fees().limit({ ...offer, gasPrice })).toBe(10_500_000n)
})

test('behavior: twice the price when a maintenance may raise it, at most the stated maximum', async () => {
  const late = { ...offer, expiration: certainTo + 1 }
  expect(await fees().limit(late)).toBe(21_000_000n)
  expect(await fees().limit({ ...late, gasPrice: 1_500_000_420n })).toBe(21_000_000n)
  expect(await fees().limit({ ...late, gasPrice: 252n })).toBe(12_600_000n)
})

test('behavior: at most the limit of the network', async () => {
  expect(await fees().limit({ ...offer, gas: 30_000_000_000n })).toBe(MAX_FEE_LIMIT)
})

test('error: a maximum below the energy price', async () => {
  await expect(fees().limit({ ...offer, gasPrice: 209n })).rejects.toMatchObject({
    code: -32000,
    message: 'transaction underpriced: gas price 209, energy price 210',
  })
})

test('behavior: the most that a transaction can cost', async () => {
  const transfer = (to_address: string) => ({
    contract: [{ type: 'TransferContract', parameter: { value: { to_address } } }],
  })
  const call = { contract: [{ type: 'TriggerSmartContract' }], fee_limit: 500 }
  expect(await fees().most(transfer('41aa'), 200n)).toBe(200_000n)
  expect(await fees().most(transfer('41bb'), 200n)).toBe(1_300_000n)
  expect(await fees().most(call, 200n)).toBe(200_500n)
  expect(await fees().most({ ...call, data: '00' }, 200n)).toBe(200_507n)
})
