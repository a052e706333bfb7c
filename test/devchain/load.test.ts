import { expect, test } from 'vitest'

import { startDevGateway } from '../support/devGateway.ts'
import { isLong } from '../support/long.ts'

const TRANSFERS = isLong ? 1_000 : 200

test('behavior: transfers sent one after another are all mined', async () => {
  const dev = await startDevGateway()
  const accounts = (await dev.rpc('eth_accounts')) as string[]
  const hashes: unknown[] = []
  for (let i = 0; i < TRANSFERS; i++)
    hashes.push(
      await dev.rpc('eth_sendTransaction', {
        from: accounts[i % 10],
        to: accounts[(i + 1) % 10],
        value: `0x${(i + 1).toString(16)}`,
      }),
    )
  expect(new Set(hashes).size).toBe(TRANSFERS)
  const receipts = await Promise.all(
    hashes.map((hash) => dev.rpc('eth_getTransactionReceipt', hash)),
  )
  expect(
    receipts.filter((receipt) => (receipt as { status?: string } | null)?.status !== '0x1'),
  ).toEqual([])
  await dev.close()
})
