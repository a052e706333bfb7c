import { toHex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'

import { createReplayNative } from '../../../test/support/native.ts'
import { keys, labels } from '../../../test/support/recordedChain.ts'
import { createNodeRpc } from '../../native/transport/nodeRpc.ts'
import { storageAt } from './storage.ts'

const KITCHEN = `0x${labels.contracts.Kitchen.address.slice(2)}` as const

test('default', async () => {
  const { native, node } = await createReplayNative()
  const rpc = createNodeRpc({ url: node.rpcUrl })
  onTestFinished(() => rpc.close())
  const state = { native, source: { at: 'latest' } } as const
  expect(await storageAt(KITCHEN, 0n, state, rpc)).toBe(toHex(2, { size: 32 }))
  expect(await storageAt(KITCHEN, 1n, state, rpc)).toBe(toHex(0, { size: 32 }))
})

test('behavior: an account without code has only zeros, also without the node’s JSON-RPC', async () => {
  const { native } = await createReplayNative()
  for (const at of ['latest', 'solid'] as const)
    expect(await storageAt(keys.bob.eth, 5n, { native, source: { at } }, undefined)).toBe(
      toHex(0, { size: 32 }),
    )
})

test('error: no JSON-RPC of the node is configured', async () => {
  const { native } = await createReplayNative()
  await expect(
    storageAt(KITCHEN, 0n, { native, source: { at: 'latest' } }, undefined),
  ).rejects.toMatchObject({
    code: -32000,
    message:
      'contract storage is not part of the node’s HTTP API: set --upstream-rpc to the node’s own JSON-RPC',
  })
})

test('error: the solidified state', async () => {
  const { native } = await createReplayNative()
  await expect(
    storageAt(KITCHEN, 0n, { native, source: { at: 'solid' } }, undefined),
  ).rejects.toMatchObject({
    code: -32000,
    message: 'historical state of contract storage is not available',
  })
})
