import fc from 'fast-check'
import { expect, test } from 'vitest'

import { toLogText } from './log.ts'
import type { RpcLog } from './types.ts'

const hex = (bytes: number) => fc.uint8Array({ minLength: bytes, maxLength: bytes }).map(hexOf)
const quantity = fc.nat().map((value): `0x${string}` => `0x${value.toString(16)}`)
const log: fc.Arbitrary<RpcLog> = fc.record({
  address: hex(20),
  blockHash: hex(32),
  blockNumber: quantity,
  blockTimestamp: quantity,
  data: fc.uint8Array({ maxLength: 100 }).map(hexOf),
  logIndex: quantity,
  topics: fc.array(hex(32), { maxLength: 4 }),
  transactionHash: hex(32),
  transactionIndex: quantity,
  removed: fc.boolean(),
})

test('default: the text of any log is that of its object', () => {
  fc.assert(
    fc.property(log, (log) => {
      expect(toLogText(log)).toBe(JSON.stringify(log))
    }),
  )
})

function hexOf(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes).toString('hex')}`
}
