import { recoverTypedDataAddress } from 'viem'
import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { eth_signTypedData_v4 } from './eth_signTypedData_v4.ts'

const open = () => createReplayContext({ keys: [keys.bob.pk] })
const bob = keys.bob.eth

const data = {
  domain: { name: 'Mail', chainId: 1 },
  types: { Mail: [{ name: 'text', type: 'string' }] },
  primaryType: 'Mail',
  message: { text: 'hello' },
} as const

test.each([
  ['an object', data],
  ['its JSON text', JSON.stringify(data)],
])('default: EIP-712, given as %s', async (_, given) => {
  const signature = await callMethod(eth_signTypedData_v4, await open(), [bob, given])
  const signer = await recoverTypedDataAddress({ ...data, signature })
  expect(signer.toLowerCase()).toBe(bob)
})

test('error: data that does not fit its types', async () => {
  const context = await open()
  const wrong = { ...data, message: { text: { nested: 1 } }, types: { Other: [] } }
  await expect(async () =>
    callMethod(eth_signTypedData_v4, context, [bob, wrong]),
  ).rejects.toMatchObject({ code: -32602 })
  await expect(async () =>
    callMethod(eth_signTypedData_v4, context, [bob, '{']),
  ).rejects.toMatchObject({ code: -32602 })
})

test('error: an account that is not managed', async () => {
  const context = await open()
  await expect(async () =>
    callMethod(eth_signTypedData_v4, context, [keys.alice.eth, data]),
  ).rejects.toMatchObject({ code: -32000 })
})
