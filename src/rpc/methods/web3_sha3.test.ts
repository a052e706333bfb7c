import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { web3_sha3 } from './web3_sha3.ts'

test('default', async () => {
  expect(await callMethod(web3_sha3, await createReplayContext(), ['0x1122334455667788'])).toBe(
    '0x1360118a9c9fd897720cf4e26de80683f402dd7c28e000aa98ea51b85c60161c',
  )
})

test('error: no bytes', async () => {
  const context = await createReplayContext()
  expect(() => callMethod(web3_sha3, context, ['0x123'])).toThrow('invalid argument 0')
})
