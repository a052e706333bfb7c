import { describe, expect, test } from 'vitest'

import { recordedBlock } from '../../../test/support/recordedBlock.ts'
import { CHAIN } from '../../../test/support/recordedChain.ts'
import { type BlockOutline, outlinePart, outlinesPart } from './blockOutline.ts'
import { stringifyNative } from './json.ts'
import type { Block } from './types.ts'

const blocks = Array.from({ length: CHAIN.head + 1 }, (_, number) => recordedBlock(number).block)
const outline = ({ block_header, blockID, transactions = [] }: Block): BlockOutline => ({
  blockID,
  block_header,
  txIDs: transactions.map(({ txID }) => txID),
})
const expected = blocks.map(outline)

/** The outline of a whole answer. */
const pickAll = (answer: unknown) => outlinesPart.pick(answer as never)

test('default: outlines are found in the text of many blocks', () => {
  const found = outlinesPart.read(stringifyNative({ block: blocks }))
  expect(found).toEqual({ block: expected })
  expect(pickAll(found)).toEqual(expected)
})

test('default: the outline of one block', () => {
  for (const [number, block] of blocks.entries())
    expect(outlinePart.read(stringifyNative(block))).toEqual(expected[number])
})

test('behavior: the whole answer gives the same', () => {
  expect(pickAll({ block: blocks })).toEqual(expected)
  expect(pickAll({})).toEqual([])
})

test('behavior: the memo of a transaction is not read as a part of the block', () => {
  const [genesis, first] = blocks as [Block, Block]
  const memo = stringifyNative({ block: [first] })
  const odd = { ...genesis, transactions: [{ ...genesis.transactions![0]!, raw_data_hex: memo }] }
  expect(outlinesPart.read(stringifyNative({ block: [odd, first] }))).toEqual({
    block: [outline(odd), outline(first)],
  })
})

describe('error: a text that is laid out in another way is left to be read whole', () => {
  test.each([
    ['spaces', stringifyNative({ block: blocks }).replace('[', '[ ')],
    ['no blocks', '{}'],
    ['an error', '{"Error":"class java.lang.Exception : x"}'],
    ['not JSON', '<html>'],
    ['cut off', stringifyNative({ block: blocks.slice(0, 1) }).slice(0, 300)],
    [
      'members in another order',
      stringifyNative({ block: [Object.fromEntries(Object.entries(blocks[1]!).toReversed())] }),
    ],
  ])('args: %s', (_, text) => {
    expect(outlinesPart.read(text)).toBeUndefined()
  })
})
