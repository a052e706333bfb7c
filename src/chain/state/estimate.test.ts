import { encodeFunctionData, type Hex } from 'viem'
import { expect, test } from 'vitest'

import { createReplayNative } from '../../../test/support/native.ts'
import { artifacts, keys, labels } from '../../../test/support/recordedChain.ts'
import type { Call } from './call.ts'
import { estimateGas } from './estimate.ts'

const ZERO = `0x${'0'.repeat(40)}` as const
const KITCHEN = `0x${labels.contracts.Kitchen.address.slice(2)}` as const

function kitchen(functionName: string, args: unknown[] = []): Call {
  const data = encodeFunctionData({ abi: artifacts.Kitchen.abi, functionName, args })
  return { from: ZERO, to: KITCHEN, data, value: 0n }
}

async function estimate(call: Call) {
  const { native } = await createReplayNative()
  return estimateGas(call, { native, source: { at: 'latest' } })
}

test('default', async () => {
  // The node says 9,189 energy, less than the intrinsic gas of such a transaction.
  expect(await estimate(kitchen('set', [5n]))).toBe(21_510n)
})

test('args: the solidified state', async () => {
  const { native, node } = await createReplayNative()
  expect(await estimateGas(kitchen('set', [5n]), { native, source: { at: 'solid' } })).toBe(21_510n)
  expect(node.requests.paths()).toEqual(['/walletsolidity/estimateenergy'])
})

test('args: creation code', async () => {
  const data: Hex = `0x${artifacts.Token.bytecode.replace('0x', '')}${'64'.padStart(64, '0')}`
  expect(await estimate({ from: ZERO, data, value: 0n })).toBe(513_670n)
})

test('behavior: a plain transfer', async () => {
  const transfer = { from: keys.bob.eth, to: keys.dave.eth, data: '0x', value: 1n } as const
  expect(await estimate(transfer)).toBe(21_000n)
  expect(await estimate({ ...transfer, value: 0n })).toBe(21_000n)
})

test('behavior: code that uses no energy', async () => {
  expect(await estimate({ from: ZERO, data: '0x00', value: 0n })).toBe(53_006n)
})

test('error: a plain transfer of more than the sender has', async () => {
  const value = 9_000_000_000_000_000n
  await expect(
    estimate({ from: keys.bob.eth, to: keys.dave.eth, data: '0x', value }),
  ).rejects.toMatchObject({
    code: -32000,
    message: 'insufficient funds for gas * price + value',
  })
})

test('error: a revert has its data', async () => {
  await expect(estimate(kitchen('rRaw'))).rejects.toMatchObject({ code: 3, data: '0xdeadbeef' })
  await expect(estimate(kitchen('rString'))).rejects.toMatchObject({
    code: 3,
    message: 'execution reverted: the reason',
  })
})

test('error: more energy than a transaction may use', async () => {
  const { native } = await createReplayNative({
    intercept: ({ path }) =>
      path.endsWith('/triggerconstantcontract')
        ? { text: '{"result":{"result":true},"energy_used":5000000,"constant_result":[""]}' }
        : undefined,
  })
  await expect(
    estimateGas(kitchen('burn'), { native, source: { at: 'latest' } }),
  ).rejects.toMatchObject({ code: -32000, message: 'gas required exceeds allowance (4761904)' })
})

test('error: more energy than a transaction and more time than a simulation may use', async () => {
  await expect(estimate(kitchen('burn'))).rejects.toMatchObject({
    code: -32000,
    message: 'gas required exceeds allowance (4761904)',
  })
})

test.each([
  [
    'says so',
    {
      text: JSON.stringify({
        result: {
          code: 'CONTRACT_VALIDATE_ERROR',
          message: Buffer.from('this node does not support estimate energy').toString('hex'),
        },
      }),
    },
  ],
  ['has disabled it', { status: 404, text: '{"Error":"this API is unavailable due to config"}' }],
])('behavior: a node without estimates (%s) simulates and is not asked again', async (_, reply) => {
  const { native, node } = await createReplayNative({
    intercept: ({ path }) => (path.endsWith('/estimateenergy') ? reply : undefined),
  })
  const state = { native, source: { at: 'latest' } } as const
  expect(await estimateGas(kitchen('set', [5n]), state)).toBe(21_510n)
  expect(await estimateGas(kitchen('set', [5n]), state)).toBe(21_510n)
  expect(node.requests.paths()).toEqual([
    '/wallet/estimateenergy',
    '/wallet/triggerconstantcontract',
    '/wallet/triggerconstantcontract',
  ])
})
