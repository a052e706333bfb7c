import fc from 'fast-check'
import { bytesToHex, toRlp } from 'viem'
import { expect, test } from 'vitest'

import { joinRlpList, splitRlpList } from './rlp.ts'

const item = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.uint8Array({ maxLength: 80 }).map((bytes) => bytesToHex(bytes)),
    fc.array(tie('any'), { maxLength: 4 }),
  ),
})).any as fc.Arbitrary<Parameters<typeof toRlp>[0]>

test('default: splitting and joining returns the same bytes', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 12 }), (items) => {
      const bytes = Buffer.from(toRlp(items as never).slice(2), 'hex')
      const split = splitRlpList(bytes)
      expect(split.map((one) => bytesToHex(one))).toEqual(items.map((one) => toRlp(one)))
      expect(joinRlpList(split)).toEqual(bytes)
    }),
  )
})

test.each(['', '80', 'c2', 'c001', 'f8', 'bf', 'c1b8', 'ff' + 'ff'.repeat(8)])(
  'error: %s is not a list',
  (hex) => {
    expect(() => splitRlpList(Buffer.from(hex, 'hex'))).toThrow('not an RLP list')
  },
)
