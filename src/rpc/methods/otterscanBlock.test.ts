import { expect, test } from 'vitest'

import { CLIENT_CALL } from '../../../test/support/clientCall.ts'
import { createReplayContext } from '../../../test/support/context.ts'
import { SUN, WEI } from '../../codec/unit.ts'
import { blockDetails, frameOf, wholeBlock } from './otterscanBlock.ts'

/** A block with inner calls. */
const BLOCK = 0x85

test('args: unit', async () => {
  const context = await createReplayContext()
  const [sun, wei] = await Promise.all(
    [SUN, WEI].map((unit) => wholeBlock(BLOCK, unit, context, CLIENT_CALL)),
  )
  const priceOf = (whole: typeof sun) => BigInt(whole?.receipts[0]?.effectiveGasPrice ?? 0)
  expect(priceOf(sun)).toBeGreaterThan(0n)
  expect(priceOf(wei)).toBe(priceOf(sun) * 10n ** 12n)
  for (const [index, { hash, value }] of (wei?.transactions ?? []).entries()) {
    expect(BigInt(value)).toBe(BigInt(sun?.transactions[index]?.value ?? 0) * 10n ** 12n)
    expect(wei?.receipts[index]?.transactionHash).toBe(hash)
  }
  const fees = await blockDetails(BLOCK, WEI, context, CLIENT_CALL)
  const inSun = await blockDetails(BLOCK, SUN, context, CLIENT_CALL)
  expect(BigInt(fees?.totalFees ?? 0)).toBe(BigInt(inSun?.totalFees ?? 0) * 10n ** 12n)
})

test('behavior: undefined for an unknown block', async () => {
  const context = await createReplayContext()
  expect(await wholeBlock(100_000, SUN, context, CLIENT_CALL)).toBeUndefined()
})

test('error: a reorg replaces the block between its read and that of its receipts', async () => {
  const { chain } = await createReplayContext()
  const replaced = { ...chain, receipts: async () => undefined }
  await expect(wholeBlock(BLOCK, SUN, { chain: replaced }, CLIENT_CALL)).rejects.toMatchObject({
    code: -32000,
  })
})

test('error: the frames of a transaction that is in no block', async () => {
  const context = await createReplayContext()
  await expect(frameOf(`0x${'12'.repeat(32)}`, SUN, context, CLIENT_CALL)).rejects.toMatchObject({
    code: -32000,
  })
})
