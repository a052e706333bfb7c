import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { eth_sign } from './eth_sign.ts'
import { personal_sign } from './personal_sign.ts'

const open = () => createReplayContext({ keys: [keys.bob.pk] })
const bob = keys.bob.eth

test('default: as personal_sign, the account first', async () => {
  const context = await open()
  expect(await callMethod(eth_sign, context, [bob, '0x68656c6c6f'])).toBe(
    await callMethod(personal_sign, context, ['0x68656c6c6f', bob]),
  )
})

test('error: without keys the method does not exist', async () => {
  const context = await createReplayContext()
  await expect(async () => callMethod(eth_sign, context, [bob, '0x'])).rejects.toMatchObject({
    code: -32601,
  })
})

test('error: an account that is not managed', async () => {
  const context = await open()
  await expect(async () =>
    callMethod(eth_sign, context, [keys.alice.eth, '0x']),
  ).rejects.toMatchObject({ code: -32000 })
})
