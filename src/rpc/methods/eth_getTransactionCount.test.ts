import { expect, test } from 'vitest'

import { callMethod } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { CHAIN, keys } from '../../../test/support/recordedChain.ts'
import { eth_getTransactionCount } from './eth_getTransactionCount.ts'
import { eth_sendTransaction } from './eth_sendTransaction.ts'

const count = (context: Parameters<typeof callMethod>[1], ref?: unknown) =>
  callMethod(eth_getTransactionCount, context, [keys.bob.eth, ref])

test.each([[undefined], ['latest'], ['pending'], ['finalized'], [`0x${CHAIN.head.toString(16)}`]])(
  'default: zero at %s for who never sent from here',
  async (ref) => {
    expect(await count(await createReplayContext(), ref)).toBe('0x0')
  },
)

test.each([
  ['a number beyond the head', '0xffffff', 'header not found'],
  ['an unknown hash', `0x${'ab'.repeat(32)}`, 'header for hash not found'],
  [
    'an unknown hash in an object',
    { blockHash: `0x${'ab'.repeat(32)}` },
    'header for hash not found',
  ],
  ['block 0', '0x0', 'historical state of transaction counts is not available'],
  ['earliest', 'earliest', 'historical state of transaction counts is not available'],
  ['block 1', '0x1', 'historical state of transaction counts is not available'],
])('error: %s, also for who never sent', async (_, ref, message) => {
  await expect(count(await createReplayContext(), ref)).rejects.toMatchObject({
    code: -32000,
    message,
  })
})

test('behavior: pending ones count at pending; mined ones once the head has their block', async () => {
  const context = await createReplayContext({
    keys: [keys.bob.pk],
    intercept({ path }) {
      return path === '/wallet/broadcasthex'
        ? { text: '{"result":true,"code":"SUCCESS"}' }
        : undefined
    },
  })
  const request = { from: keys.bob.eth, to: keys.dave.eth, value: '0x5' }
  const hash = (await callMethod(eth_sendTransaction, context, [request])) as string
  expect(await count(context, 'pending')).toBe('0x1')
  expect(await count(context, 'latest')).toBe('0x0')
  context.mine(hash)
  expect(await count(context, 'latest')).toBe('0x1')
  expect(await count(context, 'pending')).toBe('0x1')
})
