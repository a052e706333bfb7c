import { jsx } from 'hono/jsx'
import { expect, test } from 'vitest'

import type { Transfer } from '../reads/transfers.ts'
import { Transfers } from './address.tsx'

const ADDRESS = `0x${'12'.repeat(20)}` as const

/** Transfers in these blocks, newest first, of a range from 100 to 200 that has more. */
function linkOf(...blocks: number[]): string | undefined {
  const transfers = blocks.map((block): Transfer => {
    const party = { contract: ADDRESS, from: ADDRESS, to: ADDRESS, token: undefined }
    return { ...party, amount: 1n, block, hash: '0x12', id: undefined, time: 1 }
  })
  const page = { from: 100, to: 200, isCut: true, transfers }
  const text = String(jsx(Transfers, { address: ADDRESS, page }))
  return /rel="next" href="[^"]*to=(\d+)"/.exec(text)?.[1]
}

test('Transfers: the next page begins with the block that may have more', () => {
  expect(linkOf(200, 150, 120)).toBe('120')
})

test('Transfers: a block with more transfers than a page does not lead to itself', () => {
  expect(linkOf(200, 200, 200)).toBe('199')
})
