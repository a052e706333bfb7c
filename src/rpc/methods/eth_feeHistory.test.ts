import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { eth_feeHistory } from './eth_feeHistory.ts'

test('default', async () => {
  const result = await callMethod(eth_feeHistory, await createReplayContext(), ['0x2', '0x82'])
  expect(result).toEqual({
    // The last is the price of the block after them.
    baseFeePerGas: ['0x64', '0x64', '0x64'],
    gasUsedRatio: [expect.any(Number), expect.any(Number)],
    oldestBlock: '0x81',
  })
  for (const ratio of result.gasUsedRatio) {
    expect(ratio).toBeGreaterThanOrEqual(0)
    expect(ratio).toBeLessThanOrEqual(1)
  }
  expect(result.gasUsedRatio[1]).toBeGreaterThan(0)
})

test.each([2, '2'])('args: count %j in decimal, tag, percentiles', async (count) => {
  expect(
    await callMethod(eth_feeHistory, await createReplayContext(), [count, 'latest', [5, 50.5, 95]]),
  ).toEqual({
    baseFeePerGas: ['0xd2', '0xd2', '0xd2'],
    gasUsedRatio: [0, 0],
    oldestBlock: '0xde',
    reward: [
      ['0x0', '0x0', '0x0'],
      ['0x0', '0x0', '0x0'],
    ],
  })
})

test('behavior: the price changes with a block', async () => {
  const context = await createReplayContext()
  const pricesUpTo = async (newest: number) =>
    (await callMethod(eth_feeHistory, context, [1, newest])).baseFeePerGas
  const changes: number[] = []
  for (let number = 131; number < 223; number++) {
    const [own, next] = await pricesUpTo(number)
    expect((await pricesUpTo(number + 1))[0]).toBe(next)
    if (own !== next) changes.push(number + 1)
  }
  expect(changes).toHaveLength(1)
})

test('args: no percentiles', async () => {
  const context = await createReplayContext()
  expect(await callMethod(eth_feeHistory, context, [1, 'latest', []])).not.toHaveProperty('reward')
  expect(await callMethod(eth_feeHistory, context, [1, 'latest', null])).not.toHaveProperty(
    'reward',
  )
})

test('behavior: never more blocks than there are', async () => {
  const result = await callMethod(eth_feeHistory, await createReplayContext(), ['0x400', '0x3'])
  expect(result).toMatchObject({ oldestBlock: '0x0' })
  expect(result.baseFeePerGas).toHaveLength(5)
  expect(result.gasUsedRatio).toHaveLength(4)
})

test('behavior: no blocks', async () => {
  expect(await callMethod(eth_feeHistory, await createReplayContext(), [0, 'latest'])).toEqual({
    baseFeePerGas: [],
    gasUsedRatio: [],
    oldestBlock: '0x0',
  })
})

test('error: beyond the head', async () => {
  await expect(
    callMethod(eth_feeHistory, await createReplayContext(), [1, '0xe0']),
  ).rejects.toMatchObject({
    code: -32000,
    message: 'request beyond head block: requested 224, head 223',
  })
})

test.each([[[50, 20]], [[101]], [[-1]], [['50']], ['50'], [Array(101).fill(1)]])(
  'error: percentiles %j',
  async (percentiles) => {
    const context = await createReplayContext()
    expect(() => callMethod(eth_feeHistory, context, [1, 'latest', percentiles])).toThrow(
      'invalid argument 2',
    )
  },
)
