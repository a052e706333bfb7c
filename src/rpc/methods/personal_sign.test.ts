import { recoverMessageAddress } from 'viem'
import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { personal_sign } from './personal_sign.ts'

const open = () => createReplayContext({ keys: [keys.bob.pk] })
const bob = keys.bob.eth

test('default: EIP-191 over bytes', async () => {
  const signature = await callMethod(personal_sign, await open(), ['0x68656c6c6f', bob])
  const signer = await recoverMessageAddress({ message: 'hello', signature })
  expect(signer.toLowerCase()).toBe(bob)
})

test('args: a text', async () => {
  const context = await open()
  expect(await callMethod(personal_sign, context, ['hello', bob])).toBe(
    await callMethod(personal_sign, context, ['0x68656c6c6f', bob]),
  )
})

test('error: an account that is not managed', async () => {
  const context = await open()
  await expect(async () =>
    callMethod(personal_sign, context, ['0x', keys.alice.eth]),
  ).rejects.toMatchObject({ code: -32000 })
})
