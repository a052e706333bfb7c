import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { artifacts, keys, labels } from '../../../test/support/recordedChain.ts'
import { eth_call } from './eth_call.ts'

const { abi } = artifacts.Kitchen
const to = `0x${labels.contracts.Kitchen.address.slice(2)}`
const data = encodeFunctionData({ abi, functionName: 'n' })
const TWO = `0x${'2'.padStart(64, '0')}`

test('default', async () => {
  expect(await callMethod(eth_call, await createReplayContext(), [{ to, data }])).toBe(TWO)
})

test.each([
  [{ to, input: data }],
  [{ to, input: data, data }],
  [{ to: labels.contracts.Kitchen.address, data, from: keys.bob.base58 }],
  [{ to, data, gas: '0x1', gasPrice: '0x0', nonce: '0x5', type: '0x2', accessList: [] }],
])('args: call object %#', async (call) => {
  expect(await callMethod(eth_call, await createReplayContext(), [call, 'latest'])).toBe(TWO)
})

test.each([
  ['latest'],
  ['pending'],
  ['safe'],
  ['finalized'],
  ['0xdf'],
  ['0xd5'],
  [{ blockNumber: '0xdf' }],
])('args: block %j', async (ref) => {
  expect(await callMethod(eth_call, await createReplayContext(), [{ to, data }, ref])).toBe(TWO)
})

test('args: no overrides', async () => {
  const context = await createReplayContext()
  expect(await callMethod(eth_call, context, [{ to, data }, 'latest', {}, {}])).toBe(TWO)
})

test('behavior: an account without code', async () => {
  const call = { to: keys.bob.eth, data: '0x11' }
  expect(await callMethod(eth_call, await createReplayContext(), [call, 'latest'])).toBe('0x')
})

test('error: a revert', async () => {
  const call = { to, data: encodeFunctionData({ abi, functionName: 'rRaw' }) }
  await expect(callMethod(eth_call, await createReplayContext(), [call])).rejects.toMatchObject({
    code: 3,
    data: '0xdeadbeef',
    message: 'execution reverted',
  })
})

test('error: members that would change the answer of a node that has them', async () => {
  const context = await createReplayContext()
  const call = { to, data }
  for (const more of [{ authorizationList: [{}] }, { blobVersionedHashes: [TWO] }])
    expect(() => callMethod(eth_call, context, [{ ...call, ...more }])).toThrow(
      expect.objectContaining({ code: -32602 }) as Error,
    )
  const none = { authorizationList: [], blobs: null }
  expect(await callMethod(eth_call, context, [{ ...call, ...none }])).toBe(TWO)
})

test('error: a call for another chain', async () => {
  const context = await createReplayContext()
  const { id } = context.chain
  expect(await callMethod(eth_call, context, [{ to, data, chainId: id }])).toBe(TWO)
  await expect(callMethod(eth_call, context, [{ to, data, chainId: '0x1' }])).rejects.toMatchObject(
    {
      code: -32000,
      message: `chainId does not match node's (have=1, want=${id})`,
    },
  )
})

test('error: a past block', async () => {
  await expect(
    callMethod(eth_call, await createReplayContext(), [{ to, data }, '0x1']),
  ).rejects.toMatchObject({
    code: -32000,
    message: 'historical state of block 1 is not available',
  })
})

test('error: a block that does not exist', async () => {
  const context = await createReplayContext()
  const blockHash = `0x${'ab'.repeat(32)}`
  await expect(callMethod(eth_call, context, [{ to, data }, { blockHash }])).rejects.toMatchObject({
    code: -32000,
    message: 'header for hash not found',
  })
})

test('error: overrides without a simulator', async () => {
  const context = await createReplayContext()
  const call = (...overrides: unknown[]) =>
    Promise.resolve(callMethod(eth_call, context, [{ to, data }, 'latest', ...overrides]))
  const needs = {
    code: -32602,
    message: 'a call with state or block overrides needs --simulate on and --upstream-rpc',
  }
  await expect(call({ [to]: { balance: '0x1' } })).rejects.toMatchObject(needs)
  await expect(call({}, { number: '0x1' })).rejects.toMatchObject(needs)
})
