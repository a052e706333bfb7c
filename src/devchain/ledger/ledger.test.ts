import { expect, test } from 'vitest'

import { signTransaction } from '../../native/protobuf/signature.ts'
import type { Transaction } from '../../native/wire/types.ts'
import { createDevChain } from '../devChain.ts'

test('behavior: concurrent transactions share a block or have later blocks', async () => {
  const chain = await createDevChain({
    mining: { blockTime: 0 },
    time: { now: () => 1_700_000_000_000 },
  })
  await chain.start()
  const ask = async (name: string, body: unknown) => {
    const { text } = await chain.transport.send(`/wallet/${name}`, JSON.stringify(body), {
      idempotent: false,
    })
    return JSON.parse(text) as Record<string, unknown>
  }
  const [from, to] = chain.accounts
  const sent = await Promise.all(
    Array.from({ length: 8 }, async (_, i) => {
      const built = await ask('createtransaction', {
        owner_address: from?.address,
        to_address: to?.address,
        amount: i + 1,
      })
      const signed = signTransaction(built as unknown as Transaction, from?.key ?? '')
      return ask('broadcasttransaction', signed)
    }),
  )
  expect(sent.every(({ result }) => result === true)).toBe(true)
  const { ledger } = chain
  const blocks = Array.from({ length: ledger.head().header.number }, (_, i) => ledger.block(i + 1))
  const mined = blocks.flatMap((block) => block?.transactions ?? [])
  expect(mined).toHaveLength(8)
  // Only the first block, which starts the clock, is empty.
  expect(blocks.slice(1).every((block) => (block?.transactions.length ?? 0) > 0)).toBe(true)
  const times = blocks.map((block) => block?.header.timestamp ?? 0)
  expect(new Set(times).size).toBe(times.length)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
})
