import { expect, test } from 'vitest'

import type { NativeClient } from '../native/client.ts'
import { assertSameRecord } from './emptyRecord.ts'
import { createMemorySentStore } from './memorySentStore.ts'

const account = `0x${'a1'.repeat(20)}` as const

function setup(found: object | undefined) {
  const store = createMemorySentStore()
  const native = { wallet: { getAccount: async () => found } } as unknown as NativeClient
  return { store, check: (of: typeof account) => assertSameRecord(of, native, store) }
}

test.each([[undefined], [{}], [{ balance: 5 }]])(
  'default: an account that never sent: %j',
  async (found) => {
    const { check } = setup(found)
    expect(await check(account)).toBeUndefined()
  },
)

test('behavior: an account that sent through this gateway', async () => {
  const { check, store } = setup({ latest_opration_time: 1 })
  await store.reserve({ id: '0x01', from: account, expiration: 1 })
  expect(await check(account)).toBeUndefined()
})

test('error: an account that sent, and of which the record has nothing', async () => {
  const { check } = setup({ latest_opration_time: 1 })
  await expect(check(account)).rejects.toThrow(/has none of 0xa1.*--new-record/)
})

test('error: the record is lost after the first transactions of an account', async () => {
  const state = { store: createMemorySentStore(), found: {} }
  const native = { wallet: { getAccount: async () => state.found } } as unknown as NativeClient
  await assertSameRecord(account, native, state.store)
  await state.store.reserve({ id: '0x01', from: account, expiration: 1 })
  state.found = { latest_opration_time: 1 }
  await assertSameRecord(account, native, state.store)
  state.store = createMemorySentStore()
  await expect(assertSameRecord(account, native, state.store)).rejects.toMatchObject({
    code: -32603,
  })
})
