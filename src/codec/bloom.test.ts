import { keccak_256 } from '@noble/hashes/sha3.js'
import { expect, test } from 'vitest'

import { mayHold } from '../../test/support/bloom.ts'
import { addBits, type Bloom, bitsOf, bloomToHex, createBloom, logsBloom } from './bloom.ts'

const digest = (bloom: Bloom) => Buffer.from(keccak_256(bloom)).toString('hex')

test('default', () => {
  const logs = ['11', '0111', '22', '0222'].map((tail) => ({
    address: `0x${tail.padStart(40, '0')}`,
    topics: [],
  }))
  expect(digest(logsBloom(logs))).toBe(
    'c384c56ece49458a427c67b90fefe979ebf7104795be65dc398b280f24104949',
  )
})

test('args: a hundred texts', () => {
  const bloom = createBloom()
  for (let i = 0; i < 100; i++)
    addBits(bloom, bitsOf(Buffer.from(`xxxxxxxxxx data ${i} yyyyyyyyyyyyyy`)))
  expect(digest(bloom)).toBe('c8d3ca65cdb4874300a9e39475508f23ed6da09fdbc487f89a2dcf50b09eb263')
})

test('behavior: has all added items, and few others', () => {
  const address = `0x${'ab'.repeat(20)}`
  const topic = `0x${'cd'.repeat(32)}`
  const bloom = bloomToHex(logsBloom([{ address, topics: [topic] }]))
  const items = [address, topic, `0x${'ef'.repeat(20)}`]
  expect(items.map((item) => mayHold(bloom, item))).toEqual([true, true, false])
})

test('behavior: no logs, no bits', () => {
  expect(bloomToHex(logsBloom([]))).toBe(`0x${'0'.repeat(512)}`)
})
