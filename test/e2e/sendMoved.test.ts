import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'

import { startDevGateway } from '../support/devGateway.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'

test('error: the same keys with another record: nothing is paid again, until the operator says that it is new', async () => {
  const dev = await startDevGateway()
  const folder = await mkdtemp(join(tmpdir(), 'ethgate-moved-'))
  onTestFinished(async () => {
    await dev.close()
    await rm(folder, { recursive: true })
  })
  const key = dev.keyOf(1)
  const open = (name: string, config = {}) =>
    startGateway({
      config: { dataDir: join(folder, name), upstream: dev.url, ...config },
      keys: [key.slice(2)],
    })
  const raw = await privateKeyToAccount(key).signTransaction({
    type: 'legacy',
    chainId: dev.chain.chainId,
    gas: 21_000n,
    gasPrice: 1_000_000n,
    nonce: 0,
    to: privateKeyToAccount(dev.keyOf(2)).address,
    value: 1n,
  })
  const first = await open('first')
  await first.rpc('eth_sendRawTransaction', raw)
  await until(async () =>
    expect(await first.rpc('eth_getTransactionReceipt', keccak256(raw))).not.toBeNull(),
  )
  const moved = await open('second')
  await expect(moved.rpc('eth_sendRawTransaction', raw)).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('--new-record') as string,
  })
  const isNew = await open('third', { newRecord: true })
  expect(await isNew.rpc('eth_sendRawTransaction', raw)).toBe(keccak256(raw))
})
