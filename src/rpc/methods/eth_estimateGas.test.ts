import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { artifacts, keys, labels } from '../../../test/support/recordedChain.ts'
import { eth_estimateGas } from './eth_estimateGas.ts'

const { abi } = artifacts.Kitchen
const to = `0x${labels.contracts.Kitchen.address.slice(2)}`
const data = encodeFunctionData({ abi, functionName: 'set', args: [5n] })

test.each([[undefined], ['latest'], ['pending'], ['0xdf'], ['finalized']])(
  'args: block %s',
  async (ref) => {
    const context = await createReplayContext()
    expect(await callMethod(eth_estimateGas, context, [{ to, data }, ref])).toBe('0x5406')
  },
)

test('behavior: a plain transfer', async () => {
  const call = { from: keys.bob.eth, to: keys.dave.eth, value: '0x1' }
  expect(await callMethod(eth_estimateGas, await createReplayContext(), [call])).toBe('0x5208')
})

test('error: a revert', async () => {
  const call = { to, data: encodeFunctionData({ abi, functionName: 'rString' }) }
  await expect(
    callMethod(eth_estimateGas, await createReplayContext(), [call]),
  ).rejects.toMatchObject({ code: 3, message: 'execution reverted: the reason' })
})
