import { expect, test } from 'vitest'

import { address, word } from '../../../test/support/indexBlocks.ts'
import { encodePack } from './encode.ts'
import { readPack } from './reader.ts'
import { createRowWriter } from './rowWriter.ts'

/** Rows of blocks with two logs each. */
function write(blocks: readonly number[]) {
  const rows = createRowWriter()
  for (const block of blocks) {
    const log = { transactionHash: word(block % 1_000), address: address(1), topics: [], data: '' }
    const logs = [0, 2 ** 20 - 1].map((index) => ({ ...log, index, transactionIndex: index }))
    const pack = readPack(encodePack({ hash: word(7), timestamp: block * 3 }, logs))
    pack.each((log) => rows.add(pack, block, log))
  }
  return rows
}

const read = ({ bytes }: { bytes: Buffer }) =>
  JSON.parse(`[${bytes.toString()}]`) as Record<string, string>[]

test('default: numbers of every size', () => {
  const numbers = [0, 1, 15, 16, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 47 + 5]
  const rows = read(write(numbers).take())
  expect(rows.length).toBe(numbers.length * 2)
  for (const [at, number] of numbers.entries())
    expect(rows[at * 2 + 1]).toMatchObject({
      blockNumber: `0x${number.toString(16)}`,
      blockTimestamp: `0x${(number * 3).toString(16)}`,
      logIndex: '0xfffff',
    })
})

test('behavior: taken rows do not change when others are written', () => {
  const [first, second] = [write([1, 2]), write([3])]
  const taken = [first.take(), second.take()]
  write(Array.from({ length: 500 }, (_, block) => block + 100)).take()
  expect(taken.map((rows) => read(rows).map(({ blockNumber }) => blockNumber))).toEqual([
    ['0x1', '0x1', '0x2', '0x2'],
    ['0x3', '0x3'],
  ])
  expect(write([]).take().bytes.length).toBe(0)
})
