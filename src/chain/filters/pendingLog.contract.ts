import type { Hash } from 'viem'
import { describe, expect, test } from 'vitest'

import type { PendingLog } from './pendingLog.ts'

const KEPT = 20

const hashes = (from: number, to: number) =>
  Array.from(
    { length: to - from + 1 },
    (_, index): Hash => `0x${(from + index).toString(16).padStart(64, '0')}`,
  )

/** The suite that every log of pending transactions passes. */
export function describePendingLog(
  name: string,
  open: (options: { kept: number }) => Promise<PendingLog>,
  skip = false,
): void {
  describe.skipIf(skip)(`${name} as a log of pending transactions`, () => {
    test('default: each hash once, in order, in pages', async () => {
      const log = await open({ kept: KEPT })
      const start = await log.position()
      await log.append(hashes(1, 3))
      await log.append([...hashes(2, 5), ...hashes(5, 5)])
      const first = await log.since(start, 2)
      expect(first?.hashes).toEqual(hashes(1, 2))
      const rest = await log.since(first?.position ?? '', 10)
      expect(rest?.hashes).toEqual(hashes(3, 5))
      expect(rest?.position).toBe(await log.position())
      expect(await log.since(rest?.position ?? '', 10)).toEqual({
        hashes: [],
        position: rest?.position,
      })
      expect(await log.recent(2)).toEqual(hashes(4, 5))
    })

    test('behavior: a position whose hashes were dropped is undefined, never empty', async () => {
      const log = await open({ kept: KEPT })
      const start = await log.position()
      for (let from = 1; from < 100; from += 10) await log.append(hashes(from, from + 9))
      expect(await log.since(start, 10)).toBeUndefined()
      expect(await log.since('1000', 10)).toBeUndefined()
      expect(await log.since('1700000000000-0', 10)).toBeUndefined()
      const end = Number(await log.position())
      expect(end).toBe(100)
      expect((await log.since(String(end - KEPT), 100))?.hashes).toEqual(hashes(81, 100))
    })

    test('behavior: watched from the first request until the end of the longest one', async () => {
      const log = await open({ kept: KEPT })
      expect(await log.wanted()).toBeUndefined()
      expect(await log.want(60_000, 5)).toMatchObject({ height: 5 })
      const { height, milliseconds } = await log.want(1_000, 9)
      expect(height).toBe(5)
      expect(milliseconds).toBeGreaterThan(1_000)
      expect(await log.wanted()).toMatchObject({ height: 5 })
    })
  })
}
