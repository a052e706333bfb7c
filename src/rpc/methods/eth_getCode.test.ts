import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { artifacts, keys, labels } from '../../../test/support/recordedChain.ts'
import { eth_getCode } from './eth_getCode.ts'

const TOKEN = `0x${labels.contracts.Token.address.slice(2)}`
const CODE = `0x${artifacts.Token.runtime.replace('0x', '')}`

test.each([[undefined], ['latest'], ['finalized'], ['0xdf']])('args: %s', async (ref) => {
  expect(await callMethod(eth_getCode, await createReplayContext(), [TOKEN, ref])).toBe(CODE)
})

test('behavior: an account without code', async () => {
  expect(await callMethod(eth_getCode, await createReplayContext(), [keys.bob.eth, 'latest'])).toBe(
    '0x',
  )
})

test('error: a past block', async () => {
  const context = await createReplayContext()
  await expect(callMethod(eth_getCode, context, [TOKEN, '0x1'])).rejects.toMatchObject({
    code: -32000,
    message: 'historical state of block 1 is not available',
  })
})
