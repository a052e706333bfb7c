import { expect, test } from 'vitest'

import { createPace } from './pace.ts'
import { createBlockReader, type FillSource } from './source.ts'

/** The first eight bytes of a hash are the height. */
const hashOf = (number: number) => `${number.toString(16).padStart(16, '0')}${'ab'.repeat(24)}`

/** A node with empty blocks. @param broken - the block from which on it fails */
function someReader(broken = Infinity) {
  const asked: number[] = []
  const wallet: Partial<FillSource['wallet']> = {
    async getBlockParties({ startNum, endNum }) {
      asked.push(startNum)
      if (endNum > broken) throw new Error('the node fails')
      return Array.from({ length: endNum - startNum }, (_, offset) => {
        const number = startNum + offset
        const raw_data = { number, parentHash: hashOf(number - 1), timestamp: number * 3_000 }
        return {
          blockID: hashOf(number),
          block_header: { raw_data, witness_signature: '' },
          txIDs: [],
          parties: [],
        }
      }) as never
    },
  }
  const pace = createPace({ concurrency: 2, rate: 1e6 })
  return { asked, reader: createBlockReader({ native: { wallet } as FillSource, pace }) }
}

test('default: blocks come in order', async () => {
  const { reader } = someReader()
  const numbers: number[] = []
  for await (const { number, hash } of reader.read(7, 1_030)) {
    expect(hash).toBe(hashOf(number))
    numbers.push(number)
  }
  expect(numbers).toEqual(Array.from({ length: 1_024 }, (_, offset) => 7 + offset))
})

test('behavior: reads run ahead of the consumer', async () => {
  const { asked, reader } = someReader()
  const blocks = reader.read(0, 1_023)
  await blocks.next()
  await expect.poll(() => asked.at(-1)).toBeGreaterThan(900)
  await blocks.return(undefined)
})

test('error: blocks before a failure are returned, and the failure ends the calls', async () => {
  const { asked, reader } = someReader(300)
  const numbers: number[] = []
  const reading = async () => {
    for await (const { number } of reader.read(0, 100_000)) numbers.push(number)
  }
  await expect(reading()).rejects.toThrow('the node fails')
  expect(numbers.at(-1)).toBeGreaterThan(200)
  const calls = asked.length
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(asked.length).toBe(calls)
})

test('behavior: a signal ends it', async () => {
  const { reader } = someReader()
  const stopping = new AbortController()
  const reading = async () => {
    for await (const { number } of reader.read(0, 1_000, stopping))
      if (number === 1_000) stopping.abort(new Error('stopped'))
  }
  await expect(reading()).rejects.toThrow('stopped')
})
