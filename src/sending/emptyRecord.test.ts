import { expect, test } from 'vitest'

import type { NativeClient } from '../native/client.ts'
import { createEmptyRecord } from './emptyRecord.ts'
import { createMemorySentStore } from './memorySentStore.ts'

const account = `0x${'a1'.repeat(20)}` as const

function setup(found: object | undefined) {
  const store = createMemorySentStore()
  const native = { wallet: { getAccount: async () => found } } as unknown as NativeClient
  return { store, check: createEmptyRecord(native, store) }
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

test('error: the record is lost while the process runs', async () => {
  const stores = [createMemorySentStore(), createMemorySentStore()] as const
  await stores[0].reserve({ id: '0x01', from: account, expiration: 1 })
  let used = stores[0]
  const check = createEmptyRecord(
    { wallet: { getAccount: async () => ({ latest_opration_time: 1 }) } } as never,
    { counts: (from) => used.counts(from) },
  )
  expect(await check(account)).toBeUndefined()
  used = stores[1]
  await expect(check(account)).rejects.toMatchObject({ code: -32603 })
})
