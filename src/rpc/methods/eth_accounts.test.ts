import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { keys } from '../../../test/support/recordedChain.ts'
import { eth_accounts } from './eth_accounts.ts'

test('default: no account', async () => {
  expect(await callMethod(eth_accounts, await createReplayContext(), [])).toEqual([])
})

test('behavior: the accounts of the keys, in their order', async () => {
  const context = await createReplayContext({ keys: [keys.bob.pk, `0x${keys.alice.pk}`] })
  expect(await callMethod(eth_accounts, context, [])).toEqual([keys.bob.eth, keys.alice.eth])
})
